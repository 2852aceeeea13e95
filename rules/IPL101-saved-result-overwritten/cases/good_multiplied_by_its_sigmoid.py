"""SiLU in place, the right way: sigmoid keeps its own result, and `mul_` keeps a copy of the old `x`."""

import torch
from torch import nn


class Swish(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        x = self.proj(x)
        x.mul_(torch.sigmoid(x))
        return x


if __name__ == "__main__":
    Swish(5)(torch.randn(3, 5)).sum().backward()
