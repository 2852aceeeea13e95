"""A copy of a parameter is no leaf: it may be written."""

import torch
import torch.nn.functional as F
from torch import nn


class Masked(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width))

    def forward(self, x):
        weight = self.weight.clone()
        weight[:, 0] = 0.0
        weight *= 0.5
        return F.linear(x, weight)


if __name__ == "__main__":
    Masked(4)(torch.randn(2, 4)).sum().backward()
