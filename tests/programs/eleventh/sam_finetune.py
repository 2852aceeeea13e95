"""Sharpness-aware minimisation as a wrapper round any base optimiser, used to fine-tune a small text encoder."""
import contextlib

import torch
import torch.nn as nn
import torch.nn.functional as F


class Ascent:
    """The climb to the worst point of the neighbourhood, and the way back."""

    def __init__(self, params, rho=0.05, adaptive=False):
        self.params = [p for p in params if p.requires_grad]
        self.rho, self.adaptive = rho, adaptive
        self.home = {}

    @torch.no_grad()
    def norm(self):
        grads = [(p.abs() if self.adaptive else 1.0) * p.grad for p in self.params if p.grad is not None]
        return torch.stack([g.norm() for g in grads]).norm()

    @torch.no_grad()
    def climb(self):
        scale = self.rho / (self.norm() + 1e-12)
        for p in self.params:
            if p.grad is None:
                continue
            self.home[p] = p.clone()
            e = p.grad * scale
            p.add_(p.pow(2) * e if self.adaptive else e)
            p.grad = None

    @torch.no_grad()
    def descend(self):
        for p, old in self.home.items():
            p.copy_(old)  # BUG
        self.home.clear()

    @contextlib.contextmanager
    def perturbed(self):
        self.climb()
        try:
            yield self
        finally:
            self.descend()


class TextEncoder(nn.Module):
    def __init__(self, vocab=50, dim=24, classes=3):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.LayerNorm(dim))
        self.cls = nn.Linear(dim, classes)

    def forward(self, ids):
        return self.cls(self.body(self.emb(ids)))


class FineTuner:
    def __init__(self, model, rho=0.05, lr=0.05, smoothing=0.1):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.ascent = Ascent(model.parameters(), rho)
        self.smoothing = smoothing
        self.log = []

    def loss(self, batch):
        ids, y = batch
        return F.cross_entropy(self.model(ids), y, label_smoothing=self.smoothing)

    def step(self, batch):
        self.opt.zero_grad()
        first = self.loss(batch)
        first.backward()
        with self.ascent.perturbed():
            second = self.loss(batch)
        second.backward()
        self.opt.step()
        self.log.append((first.item(), second.item()))
        return second.item() - first.item()


def fake_reviews(n, vocab=50, length=7, classes=3):
    ids = torch.randint(0, vocab, (n, length))
    return ids, ids.sum(1) % classes


# --- driver ---
torch.manual_seed(2)
tuner = FineTuner(TextEncoder())
for _ in range(3):
    tuner.step(fake_reviews(12))
print(tuner.log)
