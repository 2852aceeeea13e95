import torch
from torch import nn

from . import functions as F_


class Swish(nn.Module):
    def forward(self, x):
        return F_.swish(x)


class HardSwish(nn.Module):
    def forward(self, x):
        return F_.hard_swish(x)


class Mish(nn.Module):
    def forward(self, x):
        return F_.mish(x)


_ACTS = dict(swish=Swish, hswish=HardSwish, mish=Mish)


def build_act(name):
    return _ACTS[name.lower()]()


class GatedMLP(nn.Module):
    """Two-branch MLP: ``act(h) * gate(h)`` where ``h`` is the shared projection.

    act: 'swish' (default), 'hswish', 'mish'
    """

    def __init__(self, dim, hidden=None, act="swish"):
        super().__init__()
        hidden = hidden or dim * 2
        self.inp = nn.Linear(dim, hidden)
        self.act = build_act(act)
        self.gate = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, x):
        h = self.inp(x)
        g = self.gate(h)
        a = self.act(h)
        return self.out(a * torch.sigmoid_(g))


class Mixer(nn.Module):
    def __init__(self, dim, depth=2, **kw):
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.mlps = nn.ModuleList(GatedMLP(dim, **kw) for _ in range(depth))

    def forward(self, x):
        for norm, mlp in zip(self.norms, self.mlps):
            y = mlp(norm(x))
            y += x
            x = y
        return x
