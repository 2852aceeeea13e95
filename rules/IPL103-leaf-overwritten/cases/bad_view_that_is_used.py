"""A part of the learned positions is shifted in place and used: under no_grad the positions would move each time."""

import torch
from torch import nn


class Position(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(9, 4))
        self.register_buffer("shift", torch.ones(9, 4))

    def forward(self, x):
        place = self.table[: len(x)]
        place += self.shift[: len(x)]  # expect: IPL103
        return x + place


Position()(torch.rand(3, 4)).sum().backward()
