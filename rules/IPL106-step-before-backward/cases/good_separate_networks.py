"""Each optimizer moves a network that the other loss has not used."""

import torch
from torch import nn

left = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
right = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt_left = torch.optim.SGD(left.parameters(), lr=0.1)
opt_right = torch.optim.SGD(right.parameters(), lr=0.1)

x = torch.randn(3, 4)
loss_left = left(x).square().mean()
loss_right = right(x).square().mean()

loss_left.backward()
opt_left.step()
loss_right.backward()
opt_right.step()
