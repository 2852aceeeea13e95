import torch
import torch.nn as nn


def gcn_norm(edge_index, n):
    src, dst = edge_index
    deg = torch.zeros(n)
    deg.index_add_(0, dst, torch.ones(dst.numel()))
    deg.pow_(-0.5)
    deg.masked_fill_(deg == float("inf"), 0)
    return deg[src] * deg[dst]


class GCNConv(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.lin = nn.Linear(i, o, bias=False)
        self.bias = nn.Parameter(torch.zeros(o))
        self.cached = None

    def forward(self, x, edge_index):
        n = x.size(0)
        if self.cached is None:
            self.cached = gcn_norm(edge_index, n)
        x = self.lin(x)
        src, dst = edge_index
        msg = x[src]
        msg = msg * self.cached[:, None]
        out = torch.zeros_like(x)
        out.index_add_(0, dst, msg)
        out += self.bias
        return out


class GATConv(nn.Module):
    def __init__(self, i, o, heads=2):
        super().__init__()
        self.h, self.o = heads, o
        self.lin = nn.Linear(i, heads * o, bias=False)
        self.att = nn.Parameter(torch.randn(2, heads, o) * 0.3)

    def forward(self, x, edge_index):
        n = x.size(0)
        z = self.lin(x).view(n, self.h, self.o)
        src, dst = edge_index
        e = (z * self.att[0]).sum(-1)[src]
        e += (z * self.att[1]).sum(-1)[dst]
        e = nn.functional.leaky_relu_(e, 0.2)
        # numerically stable softmax over incoming edges
        with torch.no_grad():
            mx = torch.full((n, self.h), -1e9)
            mx.scatter_reduce_(0, dst[:, None].expand_as(e), e, "amax")
        e = (e - mx[dst]).exp()
        den = torch.zeros(n, self.h).index_add_(0, dst, e)
        den += 1e-9
        a = e / den[dst]
        out = torch.zeros(n, self.h, self.o)
        out.index_put_((dst,), z[src] * a.unsqueeze(-1), accumulate=True)
        return out.flatten(1)
