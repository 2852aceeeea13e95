"""A parameter is filled after it became one."""

import math

import torch
from torch import nn


class Bilinear(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.kernel = nn.Parameter(torch.empty(width, width))
        bound = 1 / math.sqrt(width)
        with torch.no_grad():
            self.kernel.uniform_(-bound, bound)

    def forward(self, x, y):
        return ((x @ self.kernel) * y).sum(-1)


if __name__ == "__main__":
    Bilinear(4)
