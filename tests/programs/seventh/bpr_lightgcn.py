"""LightGCN trained with BPR, negatives drawn by rejection."""
from __future__ import annotations

import numpy as np
import torch
from torch import nn, Tensor


class Interactions:
    def __init__(self, n_users: int, n_items: int, pairs: np.ndarray):
        self.n_users, self.n_items = n_users, n_items
        self.seen = torch.zeros(n_users, n_items, dtype=torch.bool)
        self.seen[pairs[:, 0], pairs[:, 1]] = True
        self.pairs = torch.from_numpy(pairs)

    @classmethod
    def synthetic(cls, n_users=10, n_items=14, per_user=4, seed=0) -> Interactions:
        rng = np.random.default_rng(seed)
        rows = [[u, i] for u in range(n_users) for i in rng.choice(n_items, per_user, replace=False)]
        return cls(n_users, n_items, np.array(rows))

    def adjacency(self) -> Tensor:
        n = self.n_users + self.n_items
        a = torch.zeros(n, n)
        a[: self.n_users, self.n_users:] = self.seen.float()
        a += a.t().clone()
        d = a.sum(1).clamp_(min=1).rsqrt_()
        a *= d[:, None]
        a *= d[None, :]
        return a

    def batch(self, k: int):
        row = self.pairs[torch.randint(len(self.pairs), (k,))]
        u, pos = row[:, 0], row[:, 1]
        neg = torch.randint(self.n_items, (k,))
        bad = self.seen[u, neg]
        while bool(bad.any()):
            neg[bad] = torch.randint(self.n_items, (int(bad.sum()),))
            bad = self.seen[u, neg]
        return u, pos, neg


class LightGCN(nn.Module):
    def __init__(self, data: Interactions, dim: int = 6, hops: int = 2, max_norm: float = 2.0):
        super().__init__()
        self.n_users, self.hops, self.max_norm = data.n_users, hops, max_norm
        self.table = nn.Embedding(data.n_users + data.n_items, dim)
        nn.init.normal_(self.table.weight, std=0.1)
        self.item_bias = nn.Parameter(torch.zeros(data.n_items))
        self.register_buffer("adj", data.adjacency())

    def propagate(self):
        h = self.table.weight
        acc = h.clone()
        for _ in range(self.hops):
            h = self.adj @ h
            acc += h
        acc /= self.hops + 1
        return acc[: self.n_users], acc[self.n_users:]

    def forward(self, u, pos, neg):
        users, items = self.propagate()
        eu = users[u]
        s_pos = (eu * items[pos]).sum(-1)
        s_pos += self.item_bias[pos]
        s_neg = (eu * items[neg]).sum(-1)
        s_neg += self.item_bias[neg]
        return s_pos, s_neg

    @torch.no_grad()
    def renorm(self):
        self.table.weight.renorm_(2, 0, self.max_norm)
        self.item_bias -= self.item_bias.mean()

    @torch.no_grad()
    def recommend(self, seen: Tensor, k: int):
        users, items = self.propagate()
        s = users @ items.t()
        s += self.item_bias
        s[seen] = -torch.inf
        return s.topk(k, dim=1).indices


def ndcg(top: Tensor, truth: Tensor) -> float:
    rel = truth.gather(1, top).float()
    disc = torch.arange(2, top.size(1) + 2).float().log2_().reciprocal_()
    ideal = disc.cumsum(0)[(truth.sum(1).clamp(1, top.size(1)) - 1)]
    return ((rel * disc).sum(1) / ideal).mean().item()


def train(data: Interactions, epochs: int, k: int = 16, reg: float = 1e-4) -> float:
    net = LightGCN(data)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(epochs):
        u, p, n = data.batch(k)
        sp, sn = net(u, p, n)
        loss = nn.functional.softplus(sn - sp).mean()
        loss = loss + reg * net.table(torch.cat([u, p + data.n_users, n + data.n_users])).pow(2).sum() / k
        opt.zero_grad()
        loss.backward()
        opt.step()
        net.renorm()
    return ndcg(net.recommend(torch.zeros_like(data.seen), 5), data.seen)


# --- driver ---
torch.manual_seed(0)
train(Interactions.synthetic(), epochs=2)
