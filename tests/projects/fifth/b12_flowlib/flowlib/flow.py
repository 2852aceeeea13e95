import math

import torch
from torch import nn

from .transforms import ActNorm, AffineCoupling, Permute


class Flow(nn.Module):
    def __init__(self, transforms):
        super().__init__()
        self.transforms = nn.ModuleList(transforms)

    def log_prob(self, x):
        total = x.new_zeros(x.size(0))
        for t in self.transforms:
            x, ld = t(x)
            total += ld
        base = -0.5 * x.pow(2).sum(-1)
        base -= 0.5 * x.size(-1) * math.log(2 * math.pi)
        return base + total

    def sample(self, z):
        for t in reversed(self.transforms):
            z, _ = t.inverse(z)
        return z


def make_realnvp(dim, steps=2, **coupling_kwargs):
    """RealNVP with actnorm; keyword arguments go to :class:`AffineCoupling`."""
    ts = []
    for _ in range(steps):
        ts += [ActNorm(dim), AffineCoupling(dim, **coupling_kwargs), Permute(dim)]
    return Flow(ts)
