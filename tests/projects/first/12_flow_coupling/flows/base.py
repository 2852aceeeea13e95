import math

import torch
import torch.nn as nn


class Flow(nn.Module):
    """One invertible map. Returns (y, log|det J|)."""

    def forward(self, x):
        raise NotImplementedError

    def inverse(self, y):
        raise NotImplementedError


class FlowSequence(Flow):
    def __init__(self, flows):
        super().__init__()
        self.flows = nn.ModuleList(flows)

    def forward(self, x):
        total = x.new_zeros(x.size(0))
        for f in self.flows:
            x, ld = f(x)
            total = total + ld
        return x, total

    def inverse(self, y):
        for f in reversed(self.flows):
            y = f.inverse(y)
        return y

    def log_prob(self, x):
        z, ld = self(x)
        base = -0.5 * z.pow(2).sum(1) - 0.5 * z.size(1) * math.log(2 * math.pi)
        return base + ld


class Permute(Flow):
    def __init__(self, dim):
        super().__init__()
        perm = torch.randperm(dim)
        self.register_buffer("perm", perm)
        self.register_buffer("inv", torch.argsort(perm))

    def forward(self, x):
        return x[:, self.perm], x.new_zeros(x.size(0))

    def inverse(self, y):
        return y[:, self.inv]
