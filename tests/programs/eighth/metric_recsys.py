import random
from collections import defaultdict
from typing import Dict, List, Set, Tuple

import torch
import torch.nn as nn


class Interactions:
    def __init__(self, n_users: int, n_items: int, pairs: List[Tuple[int, int]]):
        self.n_users, self.n_items = n_users, n_items
        self.pairs = pairs
        self.seen: Dict[int, Set[int]] = defaultdict(set)
        for u, i in pairs:
            self.seen[u].add(i)

    @classmethod
    def synthetic(cls, n_users, n_items, n, seed):
        rnd = random.Random(seed)
        return cls(n_users, n_items, [(rnd.randrange(n_users), rnd.randrange(n_items)) for _ in range(n)])

    def seen_mask(self, users):
        m = torch.zeros(len(users), self.n_items, dtype=torch.bool)
        for r, u in enumerate(users.tolist()):
            m[r, list(self.seen[u])] = True
        return m

    def epoch(self, batch):
        order = self.pairs[:]
        random.shuffle(order)
        for k in range(0, len(order), batch):
            yield torch.tensor(order[k:k + batch]).unbind(1)


class UnitBallMixin:
    max_norm = 1.0

    @torch.no_grad()
    def project_(self, emb: nn.Embedding):
        norms = emb.weight.norm(dim=1, keepdim=True)
        emb.weight.div_((norms / self.max_norm).clamp_(min=1.0))  # BUG


class FullRankingModel(UnitBallMixin, nn.Module):
    def __init__(self, n_users, n_items, dim, temp=0.2):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.item_bias = nn.Parameter(torch.zeros(n_items))
        self.temp = temp
        for e in (self.user, self.item):
            nn.init.normal_(e.weight, std=0.5)

    def forward(self, users):
        scores = self.user(users) @ self.item.weight.t()
        scores += self.item_bias
        return scores.div_(self.temp)

    def regularise(self):
        self.project_(self.user)
        self.project_(self.item)


def sampled_softmax(scores, pos, seen):
    known = seen.clone()
    known.scatter_(1, pos.unsqueeze(1), False)
    scores = scores.masked_fill(known, float("-inf"))
    return nn.functional.cross_entropy(scores, pos)


def recall_at_k(model, data, k=3):
    users = torch.arange(data.n_users)
    with torch.no_grad():
        s = model(users)
        top = s.topk(k, dim=1).indices
    hits = data.seen_mask(users).gather(1, top).float()
    return hits.mean().item()


class Trainer:
    def __init__(self, model, data, lr=0.05):
        self.model, self.data = model, data
        self.opt = torch.optim.Adagrad(model.parameters(), lr=lr)

    def run(self, epochs, batch):
        for _ in range(epochs):
            for users, items in self.data.epoch(batch):
                scores = self.model(users)
                loss = sampled_softmax(scores, items, self.data.seen_mask(users))
                self.model.regularise()
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
        return recall_at_k(self.model, self.data)


# --- driver ---
torch.manual_seed(0)
random.seed(0)
ds = Interactions.synthetic(6, 10, 24, seed=2)
Trainer(FullRankingModel(6, 10, 4), ds).run(1, 8)
