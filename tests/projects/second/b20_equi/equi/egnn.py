import torch
from torch import nn

from .data import Graph
from .utils import segment_mean, segment_sum


class EGNNLayer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.msg = nn.Sequential(nn.Linear(2 * d + 1, d), nn.SiLU())
        self.coord = nn.Linear(d, 1, bias=False)
        self.node = nn.Linear(2 * d, d)

    def forward(self, g):
        i, j = g.edges
        diff = g.x[i] - g.x[j]
        m = self.msg(torch.cat([g.h[i], g.h[j], diff.pow(2).sum(-1, keepdim=True)], -1))
        g.x.add_(segment_mean(diff * self.coord(m), i, len(g.x)))  # BUG
        h = self.node(torch.cat([g.h, segment_sum(m, i, len(g.h))], -1))
        return g.replace(h=g.h + h)


class EGNN(nn.Module):
    def __init__(self, d, n):
        super().__init__()
        self.lift = nn.Linear(3, 3, bias=False)
        self.layers = nn.ModuleList(EGNNLayer(d) for _ in range(n))

    def forward(self, g: Graph):
        x = self.lift(g.x)
        r = x.norm(dim=-1, keepdim=True)
        g = g.replace(x=x)
        for layer in self.layers:
            g = layer(g)
        return g.h.mean(0) + r.mean()
