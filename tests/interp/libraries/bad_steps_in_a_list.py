"""Functions that change what they are given stand in a list, and are called from there on what exp has saved."""

import torch
from torch import nn


def lift_(w, by=1e-3):
    return w.add_(by)


def sharpen(w):
    return w.square()


class Kernel(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.key = nn.Linear(size, size)
        self.steps = [lift_, sharpen]

    def forward(self, x):
        w = torch.exp(-self.key(x).square())
        for step in self.steps:
            w = step(w)  # expect: IPL101
        return w


if __name__ == "__main__":
    Kernel(3)(torch.randn(2, 3)).sum().backward()
