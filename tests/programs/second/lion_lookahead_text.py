"""Bag-of-ngrams text classifier trained with a hand-written Lion optimiser wrapped in Lookahead."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["m"] = torch.zeros_like(p)
                m = state["m"]
                p.mul_(1 - group["lr"] * group["weight_decay"])
                update = m.clone().mul_(b1).add_(p.grad, alpha=1 - b1)
                p.add_(update.sign_(), alpha=-group["lr"])
                m.mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


class Lookahead:
    def __init__(self, inner, k=2, alpha=0.5):
        self.inner, self.k, self.alpha, self.n = inner, k, alpha, 0
        self.slow = [[p.detach().clone() for p in g["params"]] for g in inner.param_groups]

    def zero_grad(self):
        self.inner.zero_grad()

    def step(self, closure):
        loss = self.inner.step(closure)
        self.n += 1
        if self.n % self.k == 0:
            self._sync()
        return loss

    @torch.no_grad()
    def _sync(self):
        for g, slow in zip(self.inner.param_groups, self.slow):
            for p, s in zip(g["params"], slow):
                s.add_(p - s, alpha=self.alpha)
                p.copy_(s)


class NgramTable(nn.Module):
    def __init__(self, buckets, dim, pad=0):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(buckets, dim) * 0.1)
        self.pad = pad
        self.clear_pad()

    @torch.no_grad()
    def clear_pad(self):
        self.weight[self.pad].zero_()

    def forward(self, ids):
        e = F.embedding(ids, self.weight)
        keep = (ids != self.pad).float().unsqueeze(-1)
        s = (e * keep).sum(1)
        s /= keep.sum(1).clamp_(min=1.0)
        return s


class NgramClassifier(nn.Module):
    def __init__(self, buckets=64, dim=12, classes=2):
        super().__init__()
        self.table = NgramTable(buckets, dim)
        self.fc1, self.fc2 = nn.Linear(dim, 16), nn.Linear(16, classes)

    def forward(self, ids):
        return self.fc2(F.relu_(self.fc1(self.table(ids))))


def hash_ngrams(text, buckets=64, n=3, length=24):
    grams = [text[i:i + n] for i in range(max(1, len(text) - n + 1))][:length]
    ids = torch.zeros(length, dtype=torch.long)
    for i, g in enumerate(grams):
        ids[i] = 1 + sum(ord(c) * 31 ** k for k, c in enumerate(g)) % (buckets - 1)
    return ids


def fit(model, rows, epochs=3):
    ids = torch.stack([hash_ngrams(t) for t, _ in rows])
    y = torch.tensor([l for _, l in rows])
    opt = Lookahead(Lion(model.parameters(), lr=1e-2, weight_decay=0.01))

    def closure():
        opt.zero_grad()
        loss = F.cross_entropy(model(ids), y)
        loss.backward()
        model.table.weight.grad[model.table.pad] = 0.0
        return loss

    for _ in range(epochs):
        opt.step(closure)
        model.table.clear_pad()


# --- driver ---
torch.manual_seed(0)
fit(NgramClassifier(), [("cheap pills now", 1), ("meeting at noon", 0), ("win a prize", 1), ("lunch tomorrow?", 0)])
