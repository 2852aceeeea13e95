"""Two-tower retrieval job: in-batch softmax with popularity correction, memory bank, hit-rate metrics."""
from dataclasses import dataclass
from typing import Dict, Iterator
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class JobConfig:
    users: int = 12
    items: int = 20
    dim: int = 8
    batch: int = 6
    bank: int = 12
    temperature: float = 0.1
    lr: float = 0.05
    history: int = 4


class Interactions:
    def __init__(self, cfg: JobConfig, n: int = 12, seed: int = 0):
        rng = np.random.default_rng(seed)
        self.user = rng.integers(0, cfg.users, n)
        self.item = rng.integers(1, cfg.items, n)
        self.hist = np.zeros((n, cfg.history), np.int64)
        for i in range(n):
            k = rng.integers(1, cfg.history + 1)
            self.hist[i, -k:] = rng.integers(1, cfg.items, k)
        self.pop = np.ones(cfg.items)
        np.add.at(self.pop, self.item, 1)
        self.pop /= self.pop.sum()
        self.cfg = cfg

    def __iter__(self) -> Iterator[Dict[str, torch.Tensor]]:
        order = np.arange(len(self.user))
        np.random.shuffle(order)
        for s in range(0, len(order), self.cfg.batch):
            ix = order[s:s + self.cfg.batch]
            yield {k: torch.from_numpy(getattr(self, k)[ix]) for k in ('user', 'item', 'hist')}


class MemoryBank:
    def __init__(self, size, dim):
        self.vec, self.ids = torch.zeros(size, dim), torch.zeros(size, dtype=torch.long)
        self.ptr, self.full = 0, False

    def snapshot(self):
        n = len(self.ids) if self.full else self.ptr
        return self.vec[:n].clone(), self.ids[:n].clone()

    def push(self, vec, ids):
        ix = torch.arange(self.ptr, self.ptr + len(ids)).remainder_(len(self.ids))
        self.full |= self.ptr + len(ids) >= len(self.ids)
        self.vec.index_copy_(0, ix, vec.detach())
        self.ids[ix] = ids
        self.ptr = (self.ptr + len(ids)) % len(self.ids)


class TwoTower(nn.Module):
    def __init__(self, cfg: JobConfig):
        super().__init__()
        self.user, self.item = nn.Embedding(cfg.users, cfg.dim), nn.Embedding(cfg.items, cfg.dim)
        self.mix = nn.Linear(2 * cfg.dim, cfg.dim)
        self.freeze_pad()

    def freeze_pad(self):
        with torch.no_grad():
            self.item.weight[0].fill_(0)

    def query(self, user, hist):
        h = self.item(hist)
        n = (hist != 0).sum(1, keepdim=True).float()
        pooled = h.sum(1)
        pooled /= n.clamp_(min=1)
        q = self.mix(torch.cat([self.user(user), pooled], 1))
        q += pooled
        return F.normalize(q, dim=1)

    def forward(self, b):
        return self.query(b['user'], b['hist']), F.normalize(self.item(b['item']), dim=1)


class RetrievalJob:
    def __init__(self, cfg: JobConfig, data: Interactions):
        self.cfg, self.data = cfg, data
        self.model = TwoTower(cfg)
        self.bank = MemoryBank(cfg.bank, cfg.dim)
        self.logpop = torch.from_numpy(np.log(data.pop)).float()
        self.opt = torch.optim.Adagrad(self.model.parameters(), lr=cfg.lr)

    def loss(self, b):
        q, v = self.model(b)
        old, old_ids = self.bank.snapshot()
        ids = torch.cat([b['item'], old_ids])
        logits = q @ torch.cat([v, old]).t()
        logits /= self.cfg.temperature
        logits -= self.logpop[ids]
        clash = b['item'][:, None] == ids[None]
        clash.fill_diagonal_(False)
        logits.masked_fill_(clash, -1e9)
        self.bank.push(v, b['item'])
        return F.cross_entropy(logits, torch.arange(len(q)))

    def epoch(self):
        for b in self.data:
            loss = self.loss(b)
            self.opt.zero_grad()
            loss.backward()
            self.model.item.weight.grad[0].zero_()
            self.opt.step()
            self.model.freeze_pad()
        return self.hit_rate()

    @torch.no_grad()
    def hit_rate(self, k=5):
        hits = torch.zeros(2)
        for b in self.data:
            q, _ = self.model(b)
            s = q @ self.model.item.weight.t()
            s[:, 0] = -1e9
            s.scatter_(1, b['hist'], -1e9)
            hits[0] += (s.topk(k).indices == b['item'][:, None]).any(1).sum()
            hits[1] += len(q)
        return (hits[0] / hits[1]).item()


# --- driver ---
torch.manual_seed(0)
np.random.seed(0)
cfg = JobConfig()
RetrievalJob(cfg, Interactions(cfg)).epoch()
