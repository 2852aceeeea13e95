import torch
import torch.nn as nn
import torch.nn.functional as F

from . import segment

NORMALIZERS = {"softmax": segment.edge_softmax, "sigmoid": segment.edge_sigmoid}


class MessagePassing(nn.Module):
    aggr = "sum"

    def message(self, graph, **feats):
        raise NotImplementedError

    def update(self, out):
        return out

    def propagate(self, graph, n, **feats):
        m = self.message(graph, n=n, **feats)
        agg = getattr(segment, "segment_" + self.aggr)
        return self.update(agg(m, graph[1], n))


class GATConv(MessagePassing):
    """Graph attention.

    Parameters
    ----------
    in_feats, out_feats, num_heads
    attn : "softmax" (default) or "sigmoid"
    residual : bool
    """

    def __init__(self, in_feats, out_feats, num_heads, attn="softmax", residual=True, activation=None):
        super(GATConv, self).__init__()
        self.h, self.d = num_heads, out_feats
        self.fc = nn.Linear(in_feats, out_feats * num_heads, bias=False)
        self.attn_l = nn.Parameter(torch.empty(1, num_heads, out_feats))
        self.attn_r = nn.Parameter(torch.empty(1, num_heads, out_feats))
        self.res_fc = nn.Linear(in_feats, out_feats * num_heads, bias=False) if residual else None
        self.normalizer = NORMALIZERS[attn]
        self.activation = activation
        gain = nn.init.calculate_gain("relu")
        for p in (self.attn_l, self.attn_r):
            nn.init.xavier_normal_(p, gain=gain)

    def message(self, graph, n, x, el, er):
        src, dst = graph
        e = F.leaky_relu_(el[src] + er[dst], 0.2)
        a = self.normalizer(e, dst, n)
        return x[src] * a.unsqueeze(-1)

    def forward(self, graph, feat):
        n = feat.size(0)
        x = self.fc(feat).view(n, self.h, self.d)
        el, er = (x * self.attn_l).sum(-1), (x * self.attn_r).sum(-1)
        out = self.propagate(graph, n, x=x, el=el, er=er)
        if self.res_fc is not None:
            out += self.res_fc(feat).view(n, self.h, self.d)
        return out if self.activation is None else self.activation(out)


class GAT(nn.Module):
    def __init__(self, in_dim, hidden, classes, heads=(2, 1), **conv_kwargs):
        super(GAT, self).__init__()
        self.l1 = GATConv(in_dim, hidden, heads[0], activation=F.elu_, **conv_kwargs)
        self.l2 = GATConv(hidden * heads[0], classes, heads[1], **conv_kwargs)

    def forward(self, graph, x):
        x = self.l1(graph, x).flatten(1)
        return self.l2(graph, x).mean(1)
