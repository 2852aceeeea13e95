import math

import torch


def moons(n):
    t = torch.rand(n).mul_(math.pi)
    y = (torch.arange(n) % 2).float()
    x = torch.stack([t.cos(), t.sin()], 1)
    x[y == 1] *= -1
    x[y == 1] += torch.tensor([1.0, 0.4])
    return x.add_(torch.randn(n, 2), alpha=0.1), y


class moons_loader:
    def __init__(self, n, batch):
        self.x, self.y = moons(n)
        self.batch = batch

    def __iter__(self):
        order = torch.randperm(len(self.x))
        for chunk in order.split(self.batch):
            yield self.x[chunk], self.y[chunk]

    def __len__(self):
        return math.ceil(len(self.x) / self.batch)
