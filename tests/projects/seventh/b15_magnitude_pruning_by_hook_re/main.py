import torch
import torch.nn as nn
import pruning
from events import fire

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(8, 32)
        self.l2 = nn.Linear(32, 32)
        self.l3 = nn.Linear(32, 1)

    def forward(self, x):
        x = torch.relu(self.l1(x))
        x = torch.relu(self.l2(x))
        return self.l3(x).squeeze(-1)


model = Net()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(200, 8)
y = (x ** 2).sum(1)

for epoch in range(4):
    fire("epoch_start", model=model, epoch=epoch)
    for xb, yb in zip(x.chunk(5), y.chunk(5)):
        loss = nn.functional.mse_loss(model(xb), yb)
        opt.zero_grad()
        fire("before_backward", model=model, loss=loss)
        loss.backward()
        opt.step()
        fire("after_step", model=model)
    zeros = sum((p == 0).sum().item() for p in model.parameters())
    print(f"epoch {epoch} loss {loss.item():.3f} zeros {zeros}")
