"""What a group norm saved is among the samples that the residuals of another network are added to."""

import torch
from torch import nn


def made(name):
    return getattr(nn, name)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.before = made("Conv2d")(4, 4, 1)
        self.first = nn.Conv2d(4, 4, 1)
        self.norm = nn.GroupNorm(2, 4)
        self.blocks = nn.ModuleList([made("Conv2d")(4, 4, 1) for _ in range(2)])

    def forward(self, x, residuals):
        samples = []
        for kind in (self.before, self.first):
            h = kind(x)
            samples.append(h)
        for block in self.blocks:
            h = block(self.norm(h))
            samples.append(h)
        for sample, residual in zip(samples, residuals, strict=True):
            sample += residual  # expect: IPL102
        return sum(samples)


Net()(torch.randn(1, 4, 5, 5), [torch.randn(1, 4, 5, 5) for _ in range(4)]).sum().backward()
