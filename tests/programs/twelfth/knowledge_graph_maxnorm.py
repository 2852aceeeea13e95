"""TransR-like knowledge graph embeddings with bounded entity norms and 1-vs-all regulariser."""
import torch
from torch import nn
import torch.nn.functional as F
from collections import defaultdict


class TripleStore:
    def __init__(self, triples):
        self.triples = triples
        self.tails = defaultdict(set)
        for h, r, t in triples.tolist():
            self.tails[h, r].add(t)

    def corrupt(self, batch, entities):
        neg = batch.clone()
        side = torch.rand(len(batch)) < 0.5
        fresh = torch.randint(0, entities, (len(batch),))
        neg[side, 0] = fresh[side]
        neg[~side, 2] = fresh[~side]
        return neg

    def batches(self, size):
        for idx in torch.randperm(len(self.triples)).split(size):
            yield self.triples[idx]


class TransR(nn.Module):
    def __init__(self, n_ent, n_rel, d=10, dr=6):
        super().__init__()
        self.ent = nn.Embedding(n_ent, d, max_norm=1.0)
        self.rel = nn.Embedding(n_rel, dr)
        self.proj = nn.Parameter(torch.randn(n_rel, d, dr) / d**0.5)
        self.shared = nn.Linear(d, dr, bias=False)

    def project(self, ids, r):
        e = self.ent(ids)  # BUG
        return torch.einsum("bd,bdr->br", e, self.proj[r])

    def distance(self, triples):
        h, r, t = triples.unbind(1)
        return (self.project(h, r) + self.rel(r) - self.project(t, r)).norm(dim=1)

    def spread(self):
        """Pushes the entities apart in the shared space."""
        z = F.normalize(self.shared(self.ent.weight), dim=1)
        sim = z @ z.t()
        sim.fill_diagonal_(0.0)
        return sim.square().mean()


class MarginTrainer:
    def __init__(self, model, store, margin=1.0, reg=0.1, lr=1e-2):
        self.model, self.store, self.margin, self.reg = model, store, margin, reg
        self.opt = torch.optim.Adagrad(model.parameters(), lr)

    def loss(self, pos):
        spread = self.model.spread()
        neg = self.store.corrupt(pos, self.model.ent.num_embeddings)
        hinge = F.relu(self.margin + self.model.distance(pos) - self.model.distance(neg))
        return hinge.mean() + self.reg * spread

    def epoch(self, size=16):
        total, n = 0.0, 0
        for pos in self.store.batches(size):
            self.opt.zero_grad()
            loss = self.loss(pos)
            loss.backward()
            self.opt.step()
            total, n = total + loss.item() * len(pos), n + len(pos)
        return total / n


# --- driver ---
torch.manual_seed(42)
store = TripleStore(torch.stack([torch.randint(0, 20, (48,)), torch.randint(0, 4, (48,)), torch.randint(0, 20, (48,))], 1))
tr = MarginTrainer(TransR(20, 4), store)
for _ in range(2):
    print(tr.epoch())
