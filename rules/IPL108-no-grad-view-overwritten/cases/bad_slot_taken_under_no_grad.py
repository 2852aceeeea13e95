"""The slot of a buffer is looked up under `no_grad` and written with gradients."""

import torch
from torch import nn

net = nn.Linear(3, 3)
memory = torch.zeros(5, 3)
with torch.no_grad():
    slot = memory[2]
slot.copy_(net(torch.randn(3)))  # expect: IPL108
memory.sum().backward()
