import torch
import torch.nn as nn

from . import utils


class Conv(nn.Module):
    registry = {}

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Conv.registry[cls.__name__] = cls

    def message(self, x, ei):
        raise NotImplementedError

    def forward(self, x, ei):
        n = x.size(0)
        out = utils.scatter(self.message(x, ei), ei[1], n, getattr(self, "aggr", "sum"))
        return self.post(x, out)

    def post(self, x, out):
        return out


class GCN(Conv):
    def __init__(self, i, o):
        super().__init__()
        self.lin, self.bias = nn.Linear(i, o, bias=False), nn.Parameter(torch.zeros(o))

    def message(self, x, ei):
        return self.lin(x)[ei[0]] * utils.gcn_norm(ei, x.size(0)).unsqueeze(1)

    def post(self, x, out):
        out += self.bias
        return out


class SAGE(Conv):
    aggr = "mean"

    def __init__(self, i, o):
        super().__init__()
        self.l, self.r = nn.Linear(i, o), nn.Linear(i, o, bias=False)

    def message(self, x, ei):
        return x[ei[0]]

    def post(self, x, out):
        out = self.l(out)
        out += self.r(x)
        return out


class Att(Conv):
    def __init__(self, i, o):
        super().__init__()
        self.lin, self.a = nn.Linear(i, o), nn.Linear(2 * o, 1)

    def message(self, x, ei):
        h = self.lin(x)
        e = self.a(torch.cat([h[ei[0]], h[ei[1]]], 1))
        w = utils.softmax(nn.functional.leaky_relu_(e, 0.2), ei[1], x.size(0))
        return h[ei[0]] * w
