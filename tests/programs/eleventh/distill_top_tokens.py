"""Distilling a larger recurrent language model on its top tokens only, from cached teacher outputs."""
import itertools
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class TopTokens:
    """What is stored of the teacher for each position: ids and probabilities of the best k tokens."""

    ids: torch.Tensor
    probs: torch.Tensor

    def support(self, vocab):
        hit = torch.zeros(*self.ids.shape[:-1], vocab, dtype=torch.bool)
        return hit.scatter_(-1, self.ids, True)

    def dense(self, vocab):
        out = torch.zeros(*self.ids.shape[:-1], vocab)
        return out.scatter_(-1, self.ids, self.probs)


class RNNLM(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, layers, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


class TeacherCache:
    def __init__(self, teacher, k, temperature):
        self.teacher, self.k, self.t = teacher.eval(), k, temperature
        self.store = {}

    @torch.no_grad()
    def __call__(self, key, ids):
        if key not in self.store:
            logits = self.teacher(ids)
            top = logits.div_(self.t).topk(self.k, dim=-1)
            self.store[key] = TopTokens(top.indices, top.values.softmax(-1))
        return self.store[key]


class TopKLoss(nn.Module):
    """Temperature-scaled divergence on the stored tokens, and a penalty on the mass outside them."""

    def __init__(self, vocab, temperature=2.0, leak=0.1):
        super().__init__()
        self.vocab, self.t, self.leak = vocab, temperature, leak

    def forward(self, logits, top: TopTokens):
        logp = F.log_softmax(logits / self.t, dim=-1)
        inside = top.support(self.vocab)
        outside = logp.exp().masked_fill(inside, 0.0).sum(-1)
        logp[~inside] = 0.0  # BUG
        p = top.dense(self.vocab)
        kl = (torch.xlogy(p, p) - p * logp).sum(-1)
        return self.t ** 2 * (kl + self.leak * outside).mean()


class Distiller:
    def __init__(self, student, cache, vocab, mix=0.5, lr=3e-3):
        self.student, self.cache, self.mix = student, cache, mix
        self.soft = TopKLoss(vocab, cache.t)
        self.opt = torch.optim.Adam(student.parameters(), lr=lr)
        self.trace = []

    def step(self, key, ids):
        x, y = ids[:, :-1], ids[:, 1:]
        logits = self.student(x)
        hard = F.cross_entropy(logits.transpose(1, 2), y)
        soft = self.soft(logits, self.cache(key, x))
        loss = self.mix * hard + (1 - self.mix) * soft
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.trace.append((hard.item(), soft.item()))


def corpus(n, length, vocab, seed=0):
    g = torch.Generator().manual_seed(seed)
    ids = torch.randint(0, vocab, (n, length), generator=g)
    ids[:, 2::2] = (ids[:, 1:-1:2] + 1) % vocab
    return ids


# --- driver ---
torch.manual_seed(0)
teacher, student = RNNLM(24, 32, 2), RNNLM(24, 12, 1)
distiller = Distiller(student, TeacherCache(teacher, k=6, temperature=2.0), vocab=24)
data = corpus(12, 9, 24).split(4)
for _, (key, ids) in itertools.product(range(2), enumerate(data)):
    distiller.step(key, ids)
print(distiller.trace[-1])
