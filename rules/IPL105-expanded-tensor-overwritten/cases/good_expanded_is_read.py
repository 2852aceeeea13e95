"""An expanded tensor may be read, and added to something else in place."""

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.embed = nn.Linear(width, width)
        self.table = nn.Parameter(torch.zeros(1, length, width))

    def forward(self, x):
        x = self.embed(x)
        x += self.table.expand(x.shape[0], -1, -1)
        return x


if __name__ == "__main__":
    Positions(3, 4)(torch.randn(2, 3, 4)).sum().backward()
