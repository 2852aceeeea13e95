"""A module adds to its input."""

import torch
from torch import nn


class Position(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.register_buffer("table", torch.ones(length, width))

    def forward(self, x):
        x.add_(self.table)  # expect: IPL205
        return x


if __name__ == "__main__":
    x = torch.rand(3, 4)
    before = x.clone()
    Position(3, 4)(x)
    changed = not torch.equal(x, before)
