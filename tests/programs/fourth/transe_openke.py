import random
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class Options:
    entities: int = 12
    relations: int = 3
    dim: int = 6
    margin: float = 1.0
    negatives: int = 3
    lr: float = 0.05


class Corruptor:
    """Bernoulli corruption of heads or tails, filtered against known facts."""

    def __init__(self, facts, n_entities):
        self.known = set(map(tuple, facts.tolist()))
        self.n = n_entities
        self.p_head = torch.zeros(int(facts[:, 1].max()) + 1)
        for r in facts[:, 1].unique():
            rows = facts[facts[:, 1] == r]
            tph = len(rows) / len(rows[:, 0].unique())
            hpt = len(rows) / len(rows[:, 2].unique())
            self.p_head[r] = tph / (tph + hpt)

    def __call__(self, batch, k):
        neg = batch.repeat_interleave(k, 0)
        side = torch.where(torch.rand(len(neg)) < self.p_head[neg[:, 1]], 0, 2)
        repl = torch.randint(0, self.n, (len(neg),))
        neg[torch.arange(len(neg)), side] = repl
        for i, row in enumerate(neg.tolist()):
            if tuple(row) in self.known:
                neg[i, side[i]] = (row[int(side[i])] + 1) % self.n
        return neg


class TransE(nn.Module):
    def __init__(self, opt: Options):
        super().__init__()
        bound = 6 / opt.dim ** 0.5
        self.ent, self.rel = nn.Embedding(opt.entities, opt.dim), nn.Embedding(opt.relations, opt.dim)
        for table in (self.ent, self.rel):
            nn.init.uniform_(table.weight, -bound, bound)
        with torch.no_grad():
            self.rel.weight.div_(self.rel.weight.norm(dim=1, keepdim=True))
        self.normalise()

    @torch.no_grad()
    def normalise(self, rows=None):
        w = self.ent.weight
        if rows is None:
            w.div_(w.norm(dim=1, keepdim=True))
        else:
            w[rows] = F.normalize(w[rows], dim=1)

    def distance(self, triples):
        h, r, t = self.ent(triples[:, 0]), self.rel(triples[:, 1]), self.ent(triples[:, 2])
        d = h + r
        d -= t
        return d.abs().sum(-1)


def margin_loss(pos, neg, margin, k):
    gap = pos.repeat_interleave(k) - neg
    gap += margin
    return gap.clamp_(min=0).mean()


def train_epoch(model, facts, corrupt, opt, cfg, batch=4):
    order = list(range(len(facts)))
    random.shuffle(order)
    total = 0.0
    for i in range(0, len(order), batch):
        pos = facts[order[i:i + batch]]
        neg = corrupt(pos, cfg.negatives)
        loss = margin_loss(model.distance(pos), model.distance(neg), cfg.margin, cfg.negatives)
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.normalise(torch.cat([pos[:, 0], pos[:, 2]]).unique())
        total += loss.item()
    return total


@torch.no_grad()
def mean_rank(model, facts, known):
    ranks = torch.zeros(len(facts))
    for i, (h, r, t) in enumerate(facts.tolist()):
        cand = facts[i].repeat(model.ent.num_embeddings, 1)
        cand[:, 2] = torch.arange(len(cand))
        d = model.distance(cand)
        others = [e for e in range(len(cand)) if (h, r, e) in known and e != t]
        d[others] = float("inf")
        ranks[i] = (d < d[t]).sum() + 1
    return ranks.mean().item()


# --- driver ---
torch.manual_seed(0); random.seed(0)
cfg = Options()
facts = torch.stack([torch.randint(0, 12, (8,)), torch.arange(8) % 3, torch.randint(0, 12, (8,))], 1)
model, corrupt = TransE(cfg), Corruptor(facts, 12)
train_epoch(model, facts, corrupt, torch.optim.SGD(model.parameters(), cfg.lr), cfg)
mean_rank(model, facts, corrupt.known)
