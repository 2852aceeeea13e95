"""Functions that change what they are given stand in a list, and are called from there on what nothing saved."""

import torch
from torch import nn


def lift_(w, by=1e-3):
    return w.add_(by)


def turn_(w):
    return w.neg_()


class Kernel(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.key = nn.Linear(size, size)
        self.steps = [lift_, turn_]
        self.last = lift_

    def forward(self, x):
        w = self.key(x).square()
        for step in self.steps:
            w = step(w)
        return self.last(torch.exp(w) + 1)


if __name__ == "__main__":
    Kernel(3)(torch.randn(2, 3)).sum().backward()
