"""A part of the model writes what it keeps and then reads it with gradients, in each round of its owner's loop."""

import torch
from torch import nn


class Cached(nn.Module):
    def __init__(self, size, length):
        super().__init__()
        self.key, self.query = nn.Linear(size, size), nn.Linear(size, size)
        self.length = length
        self.cache = None

    def start(self, x):
        self.cache = torch.zeros(x.shape[0], self.length, x.shape[-1])

    def forward(self, x, step):
        if step == 0:
            self.start(x)
        self.cache[:, step] = self.key(x)
        return torch.einsum("bd,bnd->bn", self.query(x), self.cache[:, : step + 1]).sum(-1)


class Reader(nn.Module):
    def __init__(self, size=3, length=4):
        super().__init__()
        self.part = Cached(size, length)

    def forward(self, xs):
        total = 0.0
        for step in range(xs.shape[1]):
            total = total + self.part(xs[:, step], step)  # expect: IPL102
        return total


if __name__ == "__main__":
    Reader()(torch.randn(2, 4, 3)).sum().backward()
