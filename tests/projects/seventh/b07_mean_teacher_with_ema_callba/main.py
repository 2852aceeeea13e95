import torch
from torch import nn
from trainer import Trainer
from callbacks import MeanTeacherUpdate, History


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 20)
        self.fc2 = nn.Linear(20, 3)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        return self.fc2(x)


torch.manual_seed(0)
history = History()
batches = [(torch.randn(8, 10), torch.randint(0, 3, (8,)), torch.randn(24, 10)) for _ in range(6)]
Trainer(MLP(), callbacks=[history, MeanTeacherUpdate(0.95)]).fit(batches)
print(["%.3f" % v for v in history.values])
