"""`clone` under `no_grad` gives a tensor of its own, no view."""

import torch
from torch import nn

net = nn.Linear(3, 3)
memory = torch.zeros(5, 3)
with torch.no_grad():
    row = memory[2].clone()
row += net(torch.randn(3))
row.sum().backward()
