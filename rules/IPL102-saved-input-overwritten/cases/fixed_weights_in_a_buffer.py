"""A buffer that is made of a parameter, and is trained through."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.register_buffer("power", torch.zeros(size))

    def update(self, x):
        h = self.linear(x)
        self.power = (h**2).mean(0)
        h = h.clamp(min=0)


gate = Gate(4)
gate.update(torch.randn(8, 4))
gate.power.sum().backward()
