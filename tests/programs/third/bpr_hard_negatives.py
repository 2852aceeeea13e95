"""Pairwise ranking with rejection sampled negatives and popularity debiasing."""
from collections import defaultdict
import torch
import torch.nn as nn
import torch.nn.functional as F


class InteractionLog:
    def __init__(self, pairs, n_users, n_items):
        self.pairs = torch.tensor(pairs)
        self.seen = torch.zeros(n_users, n_items, dtype=torch.bool)
        self.seen[self.pairs[:, 0], self.pairs[:, 1]] = True
        self.pop = torch.zeros(n_items)
        self.pop.scatter_add_(0, self.pairs[:, 1], torch.ones(len(self.pairs)))
        self.n_items = n_items

    def negatives(self, users, tries=5):
        neg = torch.randint(0, self.n_items, users.shape)
        for _ in range(tries):
            bad = self.seen[users, neg]
            if not bad.any():
                break
            neg[bad] = torch.randint(0, self.n_items, (int(bad.sum()),))
        return neg


class LightGCN(nn.Module):
    def __init__(self, log, n_users, n_items, dim=6, layers=2):
        super().__init__()
        self.n_users, self.layers = n_users, layers
        self.emb = nn.Parameter(torch.randn(n_users + n_items, dim) * 0.1)
        self.register_buffer("adj", self.normalised(log, n_users, n_items))
        self.register_buffer("debias", log.pop.add(1).log_().mul_(0.1))

    @staticmethod
    def normalised(log, nu, ni):
        a = torch.zeros(nu + ni, nu + ni)
        u, i = log.pairs.unbind(1)
        a[u, nu + i] = 1
        a[nu + i, u] = 1
        d = a.sum(1).pow_(-0.5)
        d.masked_fill_(d.isinf(), 0)
        return a.mul_(d[:, None]).mul_(d[None])

    def propagate(self):
        h = self.emb
        total = h.clone()
        for _ in range(self.layers):
            h = self.adj @ h
            total += h
        total /= self.layers + 1
        return total[:self.n_users], total[self.n_users:]

    def forward(self, users, pos, neg):
        u, i = self.propagate()
        sp = (u[users] * i[pos]).sum(-1)
        sn = (u[users] * i[neg]).sum(-1)
        sp -= self.debias[pos]
        sn -= self.debias[neg]
        return sp, sn


@torch.no_grad()
def recall(model, log, k=2):
    u, i = model.propagate()
    scores = u @ i.t()
    scores.masked_fill_(log.seen, float("-inf"))
    top = scores.topk(k).indices
    hits = defaultdict(int)
    for user, row in enumerate(top.tolist()):
        hits[user] += len(set(row))
    return sum(hits.values())


def train(model, log, steps, lr=1e-2, max_norm=1.0):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        users, pos = log.pairs.unbind(1)
        sp, sn = model(users, pos, log.negatives(users))
        loss = F.softplus(sn - sp).mean() + 1e-4 * model.emb.square().sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            model.emb.renorm_(2, 0, max_norm)
    return recall(model, log)


# --- driver ---
torch.manual_seed(55)
log = InteractionLog([(0, 1), (0, 2), (1, 0), (2, 3), (3, 1), (3, 4)], 4, 5)
train(LightGCN(log, 4, 5), log, 2)
