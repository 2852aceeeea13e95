import math

import torch
import torch.nn as nn

from .layers import ActNorm, LULinear, MaskedCoupling

KINDS = {"actnorm": lambda d, i: ActNorm(d), "coupling": lambda d, i: MaskedCoupling(d, i % 2),
         "lu": lambda d, i: LULinear(d)}


class Glow(nn.Module):
    def __init__(self, d, spec):
        super().__init__()
        self.layers = nn.ModuleList([KINDS[k](d, i) for i, k in enumerate(spec)])

    def forward(self, x):
        logdet = torch.zeros(x.size(0))
        for l in self.layers:
            x, ld = l(x)
            logdet += ld
        return x, logdet

    def bits(self, x):
        z, ld = self(x)
        logp = (-0.5 * (z ** 2 + math.log(2 * math.pi))).sum(1)
        logp += ld
        return -logp.mean() / (math.log(2) * x.size(1))
