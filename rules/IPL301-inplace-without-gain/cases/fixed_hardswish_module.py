"""A hardswish module in place, as in mobile networks."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.act = nn.Hardswish()

    def forward(self, x):
        return self.act(self.fc(x))


if __name__ == "__main__":
    Block(4)(torch.randn(2, 4)).sum().backward()
