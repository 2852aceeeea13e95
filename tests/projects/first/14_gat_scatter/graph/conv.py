import torch
import torch.nn as nn
import torch.nn.functional as F

from .scatter import edge_softmax, scatter_sum


class MessagePassing(nn.Module):
    def propagate(self, edge_index, **kw):
        src, dst = edge_index
        n = kw["x"].size(0)
        msg = self.message(src, dst, n, **kw)
        return self.update(scatter_sum(msg, dst, n))

    def message(self, src, dst, n, **kw):
        raise NotImplementedError

    def update(self, agg):
        return agg


class GATConv(MessagePassing):
    def __init__(self, d_in, d_out, heads):
        super().__init__()
        self.heads, self.d = heads, d_out
        self.lin = nn.Linear(d_in, heads * d_out, bias=False)
        self.att_src = nn.Parameter(torch.randn(heads, d_out) * 0.1)
        self.att_dst = nn.Parameter(torch.randn(heads, d_out) * 0.1)
        self.bias = nn.Parameter(torch.zeros(heads * d_out))

    def forward(self, x, edge_index):
        h = self.lin(x).view(-1, self.heads, self.d)
        a_s = (h * self.att_src).sum(-1)
        a_d = (h * self.att_dst).sum(-1)
        return self.propagate(edge_index, x=h, alpha=(a_s, a_d))

    def message(self, src, dst, n, x, alpha):
        e = F.leaky_relu(alpha[0][src] + alpha[1][dst], 0.2)
        w = edge_softmax(e, dst, n)
        return x[src] * w.unsqueeze(-1)

    def update(self, agg):
        return agg.flatten(1) + self.bias
