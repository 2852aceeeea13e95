"""What a class builds by default is a module that works in place, after one that saved its result."""

from functools import partial

import torch
from torch import nn

InPlace = partial(nn.ReLU, inplace=True)


class Gate(nn.Module):
    def __init__(self, size, act_layer=InPlace):
        super().__init__()
        self.lin = nn.Linear(size, size)
        self.act = act_layer()

    def forward(self, x):
        gate = torch.tanh(self.lin(x))
        return x * self.act(gate)  # expect: IPL101


Gate(3)(torch.rand(2, 3)).sum().backward()
