"""A module changes what it is called with, and its owner goes on to use that."""

import torch
from torch import nn


class Shift(nn.Module):
    def forward(self, x):
        x = x.add(1)
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = Shift()

    def forward(self, x):
        y = self.shift(x)
        return y.mean() - x.mean()


x = torch.ones(3)
Net()(x)
changed = not torch.equal(x, torch.ones(3))
