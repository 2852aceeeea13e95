"""Temporal graph network with per-node memory for link prediction on event streams."""
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Events(NamedTuple):
    src: torch.Tensor
    dst: torch.Tensor
    t: torch.Tensor
    feat: torch.Tensor


class TimeEncoding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(1, dim)

    def forward(self, dt):
        return torch.cos(self.w(dt.unsqueeze(-1)))


class NodeMemory(nn.Module):
    def __init__(self, n_nodes, dim):
        super().__init__()
        self.register_buffer("state", torch.zeros(n_nodes, dim))
        self.register_buffer("last", torch.zeros(n_nodes))

    def read(self, nodes):
        return self.state[nodes], self.last[nodes]

    @torch.no_grad()
    def write(self, nodes, values, t):
        self.state[nodes] = values
        self.last[nodes] = t

    def reset(self):
        self.state.zero_()
        self.last.zero_()


class TGN(nn.Module):
    def __init__(self, n_nodes, dim=12, feat=4, tdim=6):
        super().__init__()
        self.memory = NodeMemory(n_nodes, dim)
        self.time = TimeEncoding(tdim)
        self.message = nn.Linear(2 * dim + feat + tdim, dim)
        self.update = nn.GRUCell(dim, dim)
        self.link = nn.Bilinear(dim, dim, 1)
        self.n_nodes = n_nodes

    def embed(self, ev, a, b):
        ha, ta = self.memory.read(a)
        hb, _ = self.memory.read(b)
        m = torch.cat([ha, hb, ev.feat, self.time(ev.t - ta)], dim=-1)
        return self.update(F.relu_(self.message(m)), ha)

    def forward(self, ev, neg):
        zs = self.embed(ev, ev.src, ev.dst)
        zd = self.embed(ev, ev.dst, ev.src)
        zn = self.embed(ev, neg, ev.src)
        pos = self.link(zs, zd).squeeze(-1)
        neg_score = self.link(zs, zn).squeeze(-1)
        self.memory.write(ev.src, zs.detach(), ev.t)
        self.memory.write(ev.dst, zd.detach(), ev.t)
        return pos, neg_score


def event_stream(n_nodes, n_events, bsz, feat=4):
    t = torch.rand(n_events).cumsum(0)
    src = torch.randint(0, n_nodes, (n_events,))
    dst = torch.randint(0, n_nodes, (n_events,))
    dst[dst == src] = (src[dst == src] + 1) % n_nodes
    x = torch.randn(n_events, feat)
    for i in range(0, n_events, bsz):
        s = slice(i, i + bsz)
        yield Events(src[s], dst[s], t[s], x[s])


class StreamTrainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.ap = []

    def epoch(self, stream):
        self.model.memory.reset()
        for ev in stream:
            neg = torch.randint(0, self.model.n_nodes, ev.dst.shape)
            pos_s, neg_s = self.model(ev, neg)
            loss = F.softplus(-pos_s).mean() + F.softplus(neg_s).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.ap.append((pos_s > neg_s).float().mean().item())


# --- driver ---
torch.manual_seed(0)
trainer = StreamTrainer(TGN(15))
trainer.epoch(event_stream(15, 18, 6))
