"""Lion inside Lookahead, with a schedule, micro-batch accumulation and an exponential average kept for evaluation."""
from __future__ import annotations

import contextlib
import math
from typing import Iterable

import torch
from torch import Tensor, nn
from torch.optim.optimizer import Optimizer
import torch.nn.functional as F


class Lion(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                m = state.setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(m.mul(b1).add_(p.grad, alpha=1 - b1).sign_(), alpha=-group["lr"])
                m.lerp_(p.grad, 1 - b2)


class Lookahead:
    def __init__(self, inner: Optimizer, k: int = 3, alpha: float = 0.5):
        self.inner, self.k, self.alpha, self.count = inner, k, alpha, 0
        self.slow = [[p.detach().clone() for p in g["params"]] for g in inner.param_groups]

    @property
    def param_groups(self):
        return self.inner.param_groups

    def zero_grad(self):
        self.inner.zero_grad(set_to_none=False)

    @torch.no_grad()
    def step(self):
        self.inner.step()
        self.count += 1
        if self.count % self.k:
            return
        for group, slow in zip(self.inner.param_groups, self.slow):
            for p, s in zip(group["params"], slow):
                s.add_(p - s, alpha=self.alpha)
                p.copy_(s)


class Average:
    def __init__(self, params: Iterable[Tensor], decay: float):
        self.params = list(params)
        self.shadow = [p.detach().clone() for p in self.params]
        self.decay = decay

    @torch.no_grad()
    def update(self):
        torch._foreach_mul_(self.shadow, self.decay)
        torch._foreach_add_(self.shadow, self.params, alpha=1 - self.decay)

    @contextlib.contextmanager
    def swapped(self):
        with torch.no_grad():
            live = [p.clone() for p in self.params]
            for p, s in zip(self.params, self.shadow):
                p.copy_(s)
            yield
            for p, l in zip(self.params, live):
                p.copy_(l)


class Patcher(nn.Module):
    """PatchTST-like encoder for multivariate series."""

    def __init__(self, patch=6, dim=20, horizon=4):
        super().__init__()
        self.patch = patch
        self.inp = nn.Linear(patch, dim)
        self.enc = nn.TransformerEncoderLayer(dim, 2, 2 * dim, dropout=0.0, batch_first=True, norm_first=True)
        self.out = nn.Linear(dim, horizon)

    def forward(self, x):
        mean, std = x.mean(-1, keepdim=True), x.std(-1, keepdim=True).add_(1e-5)
        z = ((x - mean) / std).unfold(-1, self.patch, self.patch).flatten(0, 1)
        y = self.out(self.enc(self.inp(z)).mean(1)).view(*x.shape[:2], -1)
        return y.mul_(std).add_(mean)


def decay_groups(model, wd):
    flat = [p for p in model.parameters() if p.dim() < 2]
    deep = [p for p in model.parameters() if p.dim() >= 2]
    return [{"params": deep, "weight_decay": wd}, {"params": flat, "weight_decay": 0.0}]


def fit(model, batches, micro=2, lr=2e-3, clip=1.0):
    opt = Lookahead(Lion(decay_groups(model, 0.1), lr=lr))
    avg = Average(model.parameters(), 0.9)
    for i, (x, y) in enumerate(batches):
        for g in opt.param_groups:
            g["lr"] = lr * 0.5 * (1 + math.cos(math.pi * i / 10))
        opt.zero_grad()
        for xs, ys in zip(x.chunk(micro), y.chunk(micro)):
            (F.mse_loss(model(xs), ys) / micro).backward()
        norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])
        for p in model.parameters():
            p.grad.mul_((clip / (norm + 1e-6)).clamp(max=1.0))
        opt.step()
        avg.update()
    with avg.swapped():
        return F.mse_loss(model(x), y).item()


# --- driver ---
torch.manual_seed(0)
t = torch.arange(100.0)
base = torch.stack([torch.sin(t / 5), torch.cos(t / 7) + 0.01 * t, torch.sin(t / 3)])
windows = torch.stack([base[:, s:s + 28] for s in range(0, 64, 4)])
batches = [(w[..., :24], w[..., 24:]) for w in windows.split(4) for _ in range(2)]
print(fit(Patcher(), batches))
