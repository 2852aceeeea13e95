"""Temporal graph network for link prediction with per-node memory."""
from typing import Dict, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Interactions(NamedTuple):
    src: torch.Tensor
    dst: torch.Tensor
    t: torch.Tensor
    feat: torch.Tensor


class TimeEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(1, dim)
        with torch.no_grad():
            self.lin.weight.copy_(1 / 10 ** torch.linspace(0, 4, dim).unsqueeze(1))
            self.lin.bias.zero_()

    def forward(self, t):
        return torch.cos(self.lin(t.unsqueeze(-1)))


class NodeMemory(nn.Module):
    def __init__(self, n, dim, t_dim, e_dim):
        super().__init__()
        self.dim = dim
        self.register_buffer('mem', torch.zeros(n, dim))
        self.register_buffer('last', torch.zeros(n))
        self.time = TimeEncoder(t_dim)
        self.cell = nn.GRUCell(2 * dim + t_dim + e_dim, dim)
        self.raw: Dict[int, tuple] = {}

    def fresh(self, nodes):
        """Memory rows with the pending messages applied, differentiable in the cell."""
        rows = self.mem[nodes]
        pend = [(i, self.raw[n]) for i, n in enumerate(nodes.tolist()) if n in self.raw]
        if not pend:
            return rows
        pos = torch.tensor([i for i, _ in pend])
        other = torch.tensor([m[0] for _, m in pend])
        t = torch.stack([m[1] for _, m in pend])
        e = torch.stack([m[2] for _, m in pend])
        msg = torch.cat([rows[pos], self.mem[other], self.time(t - self.last[nodes[pos]]), e], 1)
        out = rows.clone()
        out[pos] = self.cell(msg, rows[pos])
        return out

    @torch.no_grad()
    def commit(self, nodes):
        nodes = nodes.unique()
        self.mem[nodes] = self.fresh(nodes)
        for n in nodes.tolist():
            if n in self.raw:
                self.last[n] = self.raw.pop(n)[1]

    def store(self, batch):
        for s, d, t, e in zip(batch.src.tolist(), batch.dst.tolist(), batch.t, batch.feat):
            self.raw[s], self.raw[d] = (d, t, e), (s, t, e)

    def reset(self):
        self.mem.zero_()
        self.last.zero_()
        self.raw.clear()


class LinkScorer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.a, self.b, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, 1)

    def forward(self, zs, zd):
        h = self.a(zs)
        h += self.b(zd)
        return self.out(F.relu_(h)).squeeze(1)


class TGNTrainer:
    def __init__(self, n_nodes, e_dim=3, dim=8, t_dim=4, lr=1e-2):
        self.n = n_nodes
        self.memory, self.score = NodeMemory(n_nodes, dim, t_dim, e_dim), LinkScorer(dim)
        self.opt = torch.optim.Adam([*self.memory.parameters(), *self.score.parameters()], lr=lr)

    def step(self, b):
        neg = torch.randint(0, self.n, b.dst.shape)
        zs, zd, zn = (self.memory.fresh(x) for x in (b.src, b.dst, neg))
        pos_s, neg_s = self.score(zs, zd), self.score(zs, zn)
        loss = F.softplus(-pos_s).mean() + F.softplus(neg_s).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.memory.commit(torch.cat([b.src, b.dst]))
        self.memory.store(b)
        return loss.item()

    def epoch(self, batches):
        self.memory.reset()
        return [self.step(b) for b in batches]


def interaction_stream(n_nodes, n_batches, size=6, e_dim=3):
    t = 0.0
    for _ in range(n_batches):
        gaps = torch.rand(size).cumsum_(0).add_(t)
        t = gaps[-1].item()
        yield Interactions(torch.randint(0, n_nodes, (size,)), torch.randint(0, n_nodes, (size,)), gaps, torch.randn(size, e_dim))


# --- driver ---
print(TGNTrainer(12).epoch(interaction_stream(12, 3)))
