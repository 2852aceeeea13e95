"""Message passing network on molecular graphs with residual GRU-free updates."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GraphBatch:
    x: torch.Tensor
    edge_index: torch.Tensor
    edge_attr: torch.Tensor
    batch: torch.Tensor
    y: torch.Tensor

    @property
    def num_graphs(self):
        return int(self.batch.max()) + 1


def scatter_sum(src, index, n):
    out = src.new_zeros(n, *src.shape[1:])
    out.index_add_(0, index, src)
    return out


def scatter_mean(src, index, n):
    count = torch.zeros(n).index_add_(0, index, torch.ones(index.numel())).clamp_(min=1)
    return scatter_sum(src, index, n) / count.unsqueeze(-1)


def scatter_softmax(score, index, n):
    with torch.no_grad():
        top = torch.full((n, score.size(1)), -1e9)
        top.scatter_reduce_(0, index[:, None].expand_as(score), score, "amax")
    e = torch.exp(score - top[index])
    z = scatter_sum(e, index, n)
    return e / (z[index] + 1e-12)


class EdgeConv(nn.Module):
    def __init__(self, dim, edge_dim, heads=2):
        super().__init__()
        self.msg = nn.Linear(dim * 2 + edge_dim, dim)
        self.att = nn.Linear(dim, heads)
        self.upd = nn.Linear(dim * 2, dim)
        self.heads = heads

    def forward(self, x, edge_index, edge_attr):
        src, dst = edge_index
        m = F.relu_(self.msg(torch.cat([x[src], x[dst], edge_attr], dim=-1)))
        a = scatter_softmax(self.att(m), dst, x.size(0))
        m = (m.view(-1, self.heads, m.size(1) // self.heads) * a.unsqueeze(-1)).flatten(1)
        agg = scatter_sum(m, dst, x.size(0))
        h = self.upd(torch.cat([x, agg], dim=-1))
        h += x
        return h


class MPNN(nn.Module):
    def __init__(self, n_atom, edge_dim, dim=16, depth=3):
        super().__init__()
        self.embed = nn.Embedding(n_atom, dim)
        self.convs = nn.ModuleList(EdgeConv(dim, edge_dim) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.readout = nn.Sequential(nn.Linear(dim * 2, dim), nn.SiLU(), nn.Linear(dim, 1))

    def forward(self, g):
        h = self.embed(g.x)
        for conv, norm in zip(self.convs, self.norms):
            h = F.silu(norm(conv(h, g.edge_index, g.edge_attr)))
        n = g.num_graphs
        pooled = torch.cat([scatter_sum(h, g.batch, n), scatter_mean(h, g.batch, n)], -1)
        return self.readout(pooled).squeeze(-1)


def random_graphs(n, nodes=5):
    x = torch.randint(0, 6, (n * nodes,))
    batch = torch.arange(n).repeat_interleave(nodes)
    ei = torch.randint(0, nodes, (2, n * 8))
    ei += (torch.arange(n).repeat_interleave(8) * nodes)[None]
    return GraphBatch(x, ei, torch.randn(n * 8, 3), batch, torch.randn(n))


class TargetScaler:
    def fit(self, y):
        self.mean, self.std = y.mean(), y.std() + 1e-6
        return self

    def __call__(self, y):
        return y.clone().sub_(self.mean).div_(self.std)


def train(model, batches):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    scaler = TargetScaler().fit(torch.cat([b.y for b in batches]))
    for g in batches:
        loss = F.l1_loss(model(g), scaler(g.y))
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(MPNN(6, 3), [random_graphs(3) for _ in range(2)])
