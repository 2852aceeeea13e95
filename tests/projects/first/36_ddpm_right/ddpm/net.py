import math

import torch
import torch.nn as nn


def timestep_embedding(t, d):
    freqs = torch.exp(-math.log(1e4) * torch.arange(d // 2) / (d // 2))
    args = t[:, None].float() * freqs[None]
    out = torch.zeros(t.size(0), d)
    out[:, 0::2] = args.sin()
    out[:, 1::2] = args.cos()
    return out


class Res(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.n, self.l1, self.l2, self.e = nn.LayerNorm(d), nn.Linear(d, d), nn.Linear(d, d), nn.Linear(16, d)

    def forward(self, x, e):
        h = self.l1(self.n(x))
        h += self.e(e)
        h = self.l2(nn.functional.silu(h, inplace=True))
        h += x
        return h


class Net(nn.Module):
    def __init__(self, d, w=24, n=2):
        super().__init__()
        self.inp, self.out = nn.Linear(d, w), nn.Linear(w, d)
        self.blocks = nn.ModuleList(Res(w) for _ in range(n))

    def forward(self, x, t):
        e = timestep_embedding(t, 16)
        h = self.inp(x)
        for b in self.blocks:
            h = b(h, e)
        return self.out(h)
