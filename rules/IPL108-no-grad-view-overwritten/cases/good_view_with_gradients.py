"""The view is made where it is written: with gradients on."""

import torch
from torch import nn

net = nn.Linear(3, 3)
memory = torch.zeros(5, 3)
with torch.no_grad():
    index = int(memory.norm(dim=-1).argmin())
slot = memory[index]
slot.copy_(net(torch.randn(3)))
memory.sum().backward()
