import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Interactions:
    def __init__(self, n_users, n_items, pairs):
        self.n_users, self.n_items, self.pairs = n_users, n_items, pairs
        self.pos = {}
        for u, i in pairs:
            self.pos.setdefault(u, set()).add(i)

    def adjacency(self):
        n = self.n_users + self.n_items
        a = torch.zeros(n, n)
        for u, i in self.pairs:
            a[u, self.n_users + i] = a[self.n_users + i, u] = 1.0
        d = a.sum(1).clamp_(min=1).rsqrt_()
        return a.mul_(d[:, None]).mul_(d[None])

    def triples(self, batch):
        pairs = list(self.pairs)
        random.shuffle(pairs)
        for s in range(0, len(pairs), batch):
            rows = []
            for u, i in pairs[s:s + batch]:
                j = random.randrange(self.n_items)
                while j in self.pos[u]:
                    j = random.randrange(self.n_items)
                rows.append((u, i, j))
            yield torch.tensor(rows).unbind(1)


class LightGCN(nn.Module):
    def __init__(self, data, dim=8, layers=2):
        super().__init__()
        self.nu, self.layers = data.n_users, layers
        self.table = nn.Parameter(torch.randn(data.n_users + data.n_items, dim) * 0.1)
        self.fuse = nn.Linear(dim, dim)
        self.register_buffer("adj", data.adjacency())

    def propagate(self):
        x, acc = self.table, [self.table]
        for _ in range(self.layers):
            x = self.adj @ x
            acc.append(x)
        out = self.fuse(torch.tanh(self.fuse(torch.stack(acc).mean(0))))
        return out[: self.nu], out[self.nu:]

    def bpr(self, users, items, batch):
        u, i, j = batch
        diff = (users[u] * (items[i] - items[j])).sum(-1)
        reg = self.table[u].pow(2).mean()
        return -F.logsigmoid(diff).mean() + 1e-4 * reg


@torch.no_grad()
def recall_at(model, data, k=3):
    users, items = model.propagate()
    scores = users @ items.t()
    top = scores.topk(k).indices
    hits = sum(int(i in top[u]) for u, i in data.pairs)
    return hits / len(data.pairs)


def train_epoch(model, data, opt, batch):
    users, items = model.propagate()
    total = 0.0
    for triple in data.triples(batch):
        loss = model.bpr(users, items, triple)
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()  # BUG
        total += loss.item()
    return total


# --- driver ---
torch.manual_seed(27)
random.seed(27)
data = Interactions(4, 6, [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5), (1, 0)])
model = LightGCN(data)
print(train_epoch(model, data, torch.optim.Adam(model.parameters(), lr=1e-2), 3), recall_at(model, data))
