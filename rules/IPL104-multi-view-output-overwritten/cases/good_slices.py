"""Slices and `narrow` give one view each, which may be written."""

import torch
from torch import nn


class Shifted(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, 2 * width)
        self.width = width

    def forward(self, x):
        both = self.proj(x)
        left = both[..., : self.width]
        left += 1.0
        right = both.narrow(-1, self.width, self.width)
        right *= 0.5
        return both


if __name__ == "__main__":
    Shifted(4)(torch.randn(2, 4)).sum().backward()
