import torch
from torch import nn

from .scatter import scatter_add, scatter_mean


class GCNConv(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.lin = nn.Linear(a, b, bias=False)
        self.bias = nn.Parameter(torch.zeros(b))
        self._norm = None

    def norm(self, edges, n):
        if self._norm is None:
            deg = torch.bincount(edges[1], minlength=n).float()
            inv = deg.pow_(-0.5)
            inv.masked_fill_(inv == float("inf"), 0)
            self._norm = inv[edges[0]] * inv[edges[1]]
        return self._norm

    def forward(self, x, edges):
        h = self.lin(x)
        out = scatter_add(h[edges[0]] * self.norm(edges, len(x))[:, None], edges[1], len(x))
        out += self.bias
        return out


class SAGEConv(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.l, self.r = nn.Linear(a, b), nn.Linear(a, b)

    def forward(self, x, edges):
        out = self.l(scatter_mean(x[edges[0]], edges[1], len(x)))
        out += self.r(x)
        return out
