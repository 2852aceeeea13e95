import torch
import torch.nn as nn

from .scatter import AGGREGATORS


class MessagePassing(nn.Module):
    aggr = "sum"

    def propagate(self, edge_index, x):
        src, dst = edge_index
        msg = self.message(x[src], x[dst])
        agg = AGGREGATORS[self.aggr](msg, dst, x.size(0))
        return self.update(agg, x)

    def message(self, xj, xi):
        return xj

    def update(self, agg, x):
        return agg

    def forward(self, x, edge_index):
        return self.propagate(edge_index, self.pre(x))

    def pre(self, x):
        return x


class SumConv(MessagePassing):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)

    def pre(self, x):
        return self.lin(x)

    def update(self, agg, x):
        agg += x
        return torch.relu_(agg)


class GatedConv(MessagePassing):
    aggr = "mean"

    def __init__(self, dim):
        super().__init__()
        self.msg = nn.Linear(2 * dim, dim)
        self.gate = nn.Linear(2 * dim, dim)

    def message(self, xj, xi):
        return torch.tanh(self.msg(torch.cat([xj, xi], 1)))

    def update(self, agg, x):
        z = torch.sigmoid(self.gate(torch.cat([agg, x], 1)))
        out = z * agg
        x *= 1 - z  # BUG
        return out.add_(x)


_LAYERS = {"sum": SumConv, "gated": GatedConv}


def build_layer(name, dim, **kw):
    return _LAYERS[name](dim, **kw)
