"""Meta-SGD for few-shot classification, per-parameter learned step sizes."""
from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F

Weights = Dict[str, torch.Tensor]


class EpisodeSampler:
    def __init__(self, n_way=3, k_shot=2, n_query=4, dim=8):
        self.n_way, self.k_shot, self.n_query, self.dim = n_way, k_shot, n_query, dim

    def __iter__(self):
        while True:
            protos = torch.randn(self.n_way, self.dim).mul_(2.0)
            yield self._draw(protos, self.k_shot), self._draw(protos, self.n_query)

    def _draw(self, protos, n):
        x = protos.repeat_interleave(n, 0)
        x += torch.randn_like(x)
        y = torch.arange(self.n_way).repeat_interleave(n)
        return x, y


class Base(nn.Module):
    def __init__(self, dim, n_way, hidden=16):
        super().__init__()
        self.l1 = nn.Linear(dim, hidden)
        self.l2 = nn.Linear(hidden, n_way)

    def forward(self, x):
        return self.l2(torch.tanh(self.l1(x)))


class MetaSGD(nn.Module):
    def __init__(self, base, lr=0.05, floor=1e-4):
        super().__init__()
        self.base = base
        self.floor = floor
        self.rates = nn.ParameterDict(
            {n.replace(".", "_"): nn.Parameter(torch.full_like(p, lr)) for n, p in base.named_parameters()}
        )

    def adapt(self, x, y, steps=2) -> Weights:
        w = dict(self.base.named_parameters())
        for _ in range(steps):
            logits = torch.func.functional_call(self.base, w, (x,))
            loss = F.cross_entropy(logits, y)
            grads = torch.autograd.grad(loss, list(w.values()), create_graph=True)
            new = {}
            for (n, p), g in zip(w.items(), grads):
                step = self.rates[n.replace(".", "_")] * g
                new[n] = p - step
            w = new
        return w

    def forward(self, support, query):
        w = self.adapt(*support)
        return torch.func.functional_call(self.base, w, (query[0],))

    @torch.no_grad()
    def clamp_rates(self):
        for r in self.rates.values():
            r.clamp_(min=self.floor)


def confusion(pred, y, n):
    m = torch.zeros(n, n, dtype=torch.long)
    m.index_put_((y, pred), torch.ones_like(y), accumulate=True)
    return m


def meta_train(learner, sampler, iters=2, meta_batch=2):
    opt = torch.optim.Adam(learner.parameters(), lr=1e-3)
    episodes = iter(sampler)
    cm = torch.zeros(sampler.n_way, sampler.n_way, dtype=torch.long)
    for _ in range(iters):
        opt.zero_grad()
        for _ in range(meta_batch):
            support, query = next(episodes)
            logits = learner(support, query)
            loss = F.cross_entropy(logits, query[1]) / meta_batch
            loss.backward()
            cm += confusion(logits.argmax(1), query[1], sampler.n_way)
        opt.step()
        learner.clamp_rates()
    return cm


# --- driver ---
torch.manual_seed(0)
meta_train(MetaSGD(Base(8, 3)), EpisodeSampler())
