import random
from collections import defaultdict
from contextlib import contextmanager

import torch
from torch import nn
import torch.nn.functional as F


class TripleStore:
    def __init__(self, triples):
        self.triples = list(triples)
        self.by_head_rel = defaultdict(set)
        for h, r, t in self.triples:
            self.by_head_rel[h, r].add(t)

    def batches(self, size, n_entities):
        order = self.triples[:]
        random.shuffle(order)
        for i in range(0, len(order), size):
            chunk = order[i:i + size]
            h, r, t = (torch.tensor(c) for c in zip(*chunk))
            target = torch.zeros(len(chunk), n_entities)
            for row, (hh, rr, _) in enumerate(chunk):
                target[row, list(self.by_head_rel[hh, rr])] = 1.0
            yield h, r, target


class DistMult(nn.Module):
    def __init__(self, n_ent, n_rel, dim=8, max_norm=1.0):
        super().__init__()
        self.ent = nn.Parameter(torch.empty(n_ent, dim))
        self.rel = nn.Parameter(torch.empty(n_rel, dim))
        self.bias = nn.Parameter(torch.zeros(n_ent))
        self.max_norm = max_norm
        nn.init.xavier_normal_(self.ent)
        nn.init.xavier_normal_(self.rel)

    def score_all(self, h, r):
        query = self.ent[h] * self.rel[r]
        return query @ self.ent.t() + self.bias

    @torch.no_grad()
    def project(self):
        norm = self.ent.norm(dim=1, keepdim=True)
        scale = (self.max_norm / norm).clamp_(max=1.0)
        self.ent.mul_(scale)  # BUG


@contextmanager
def constrained(model):
    model.train()
    yield model
    model.project()


class KGETrainer:
    def __init__(self, model, store, lr=0.05, smoothing=0.1):
        self.model, self.store, self.smoothing = model, store, smoothing
        self.opt = torch.optim.Adagrad(model.parameters(), lr=lr)

    def loss(self, h, r, target):
        n = target.shape[1]
        soft = target.mul(1 - self.smoothing).add_(self.smoothing / n)
        with constrained(self.model) as m:
            logits = m.score_all(h, r)
            reg = m.rel.pow(2).mean()
        return F.binary_cross_entropy_with_logits(logits, soft) + 1e-3 * reg

    def epoch(self, batch_size):
        total = 0.0
        for h, r, target in self.store.batches(batch_size, self.model.ent.shape[0]):
            self.opt.zero_grad()
            loss = self.loss(h, r, target)
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total


@torch.no_grad()
def hits_at(model, store, k=3):
    hit = 0
    for h, r, t in store.triples:
        s = model.score_all(torch.tensor([h]), torch.tensor([r]))[0]
        others = list(store.by_head_rel[h, r] - {t})
        s[others] = float("-inf")
        hit += int((s > s[t]).sum() < k)
    return hit / len(store.triples)


# --- driver ---
random.seed(0); torch.manual_seed(0)
store = TripleStore([(0, 0, 1), (1, 1, 2), (0, 1, 3), (3, 0, 4), (4, 1, 0)])
trainer = KGETrainer(DistMult(5, 2), store)
trainer.epoch(3)
hits_at(trainer.model, store)
