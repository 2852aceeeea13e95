import math
from dataclasses import dataclass
from typing import List

import torch
import torch.nn as nn


@dataclass
class PrivacySpec:
    clip: float = 1.0
    noise: float = 0.8
    delta: float = 1e-5


class PerSampleClipper:
    def __init__(self, model, spec):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.spec = spec
        self.sums = [torch.zeros_like(p) for p in self.params]
        self.norms: List[float] = []
        self.seen = 0

    def accumulate(self):
        total = torch.zeros(())
        for p in self.params:
            total += p.grad.pow(2).sum()
        norm = total.sqrt_()
        factor = (self.spec.clip / (norm + 1e-6)).clamp_(max=1.0)
        for s, p in zip(self.sums, self.params):
            s.add_(p.grad * factor)
            p.grad.zero_()
        self.norms.append(norm.item())
        self.seen += 1

    def release(self, gen):
        std = self.spec.noise * self.spec.clip
        for s, p in zip(self.sums, self.params):
            noise = torch.empty_like(s).normal_(0, std, generator=gen)
            p.grad = s.add(noise).div_(self.seen)
            s.zero_()
        self.seen = 0


class BagModel(nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.fc1 = nn.Linear(dim, dim)
        self.fc2 = nn.Linear(dim, classes)

    def forward(self, ids):
        mask = ids.ne(0).unsqueeze(-1)
        x = self.emb(ids)
        x *= mask
        x = x.sum(1) / mask.sum(1).clamp_(min=1)
        h = self.fc1(x)
        h.tanh_()
        return self.fc2(h)


class Accountant:
    """A coarse Gaussian-mechanism account in Renyi orders."""

    def __init__(self, spec, rate):
        self.spec, self.rate = spec, rate
        self.orders = torch.arange(2, 64).float()
        self.rdp = torch.zeros_like(self.orders)

    def step(self):
        self.rdp += self.rate ** 2 * self.orders / (2 * self.spec.noise ** 2)

    def epsilon(self):
        return (self.rdp + math.log(1 / self.spec.delta) / (self.orders - 1)).min().item()


def poisson_batch(x, y, rate, gen):
    keep = torch.empty(len(x)).uniform_(generator=gen).lt_(rate).bool()
    keep[0] = True
    return zip(x[keep], y[keep])


def train_private(model, x, y, spec, steps, rate=0.5, lr=0.5):
    gen = torch.Generator().manual_seed(0)
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    clipper, acct = PerSampleClipper(model, spec), Accountant(spec, rate)
    for _ in range(steps):
        for xi, yi in poisson_batch(x, y, rate, gen):
            loss = nn.functional.cross_entropy(model(xi[None]), yi[None])
            loss.backward()
            clipper.accumulate()
        clipper.release(gen)
        opt.step()
        acct.step()
    return acct.epsilon(), clipper.norms


# --- driver ---
torch.manual_seed(16)
ids = torch.randint(1, 10, (8, 5))
ids[:, 3:].masked_fill_(torch.rand(8, 2) < 0.5, 0)
print(train_private(BagModel(10, 6, 2), ids, torch.randint(0, 2, (8,)), PrivacySpec(), 2))
