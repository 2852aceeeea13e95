import torch.nn as nn


class MLP(nn.Module):
    def __init__(self, d_in=6, d_hidden=16, n_cls=3):
        super().__init__()
        self.fc1 = nn.Linear(d_in, d_hidden)
        self.act = nn.ReLU(inplace=True)
        self.fc2 = nn.Linear(d_hidden, n_cls)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))
