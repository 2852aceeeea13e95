import math
from typing import Callable, Iterable, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params: Iterable, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure: Optional[Callable] = None):
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
                m = state.setdefault("m", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                update = m.mul(b1).add_(p.grad, alpha=1 - b1).sign_()
                p.add_(update, alpha=-group["lr"])
                m.mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


class SAM:
    """Two-pass sharpness-aware wrapper: climb, evaluate again, descend from the old point."""

    def __init__(self, base: Optimizer, rho=0.05):
        self.base, self.rho = base, rho
        self.shift = {}

    def params(self):
        for g in self.base.param_groups:
            yield from (p for p in g["params"] if p.grad is not None)

    @torch.no_grad()
    def climb(self):
        norm = torch.stack([p.grad.norm() for p in self.params()]).norm().add_(1e-12)
        for p in self.params():
            e = p.grad.mul(self.rho / norm)
            p.add_(e)
            self.shift[p] = e
        self.base.zero_grad()

    @torch.no_grad()
    def descend(self):
        for p in self.params():
            p.sub_(self.shift.pop(p))
        self.base.step()
        self.base.zero_grad()


class Lookahead:
    def __init__(self, params, k=2, alpha=0.5):
        self.fast = list(params)
        self.slow = [p.detach().clone() for p in self.fast]
        self.k, self.alpha, self.t = k, alpha, 0

    @torch.no_grad()
    def step(self):
        self.t += 1
        if self.t % self.k:
            return
        for s, p in zip(self.slow, self.fast):
            s.lerp_(p, self.alpha)
            p.copy_(s)


def cosine(step, warm, total, peak):
    if step < warm:
        return peak * (step + 1) / warm
    return 0.5 * peak * (1 + math.cos(math.pi * (step - warm) / max(1, total - warm)))


class SpiralNet(nn.Module):
    def __init__(self, width=12):
        super().__init__()
        self.f1, self.f2, self.f3 = nn.Linear(2, width), nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, x):
        h = self.f1(x).tanh_()
        h = F.leaky_relu_(self.f2(h), 0.1)
        return self.f3(h)


def centralise(params):
    for p in params:
        if p.grad is not None and p.dim() > 1:
            p.grad.sub_(p.grad.mean(dim=1, keepdim=True))


def spiral(n):
    label = torch.arange(n) % 2
    r = torch.rand(n).sqrt_()
    theta = r * 6 + label * math.pi
    xy = torch.stack([r * theta.cos(), r * theta.sin()], 1)
    return xy.add_(torch.randn_like(xy), alpha=0.02), label


def train(net, steps, batch=16, peak=1e-2):
    opt = Lion(net.parameters(), lr=peak, weight_decay=1e-2)
    sam, slow = SAM(opt), Lookahead(net.parameters())
    for step in range(steps):
        for g in opt.param_groups:
            g["lr"] = cosine(step, 1, steps, peak)
        x, y = spiral(batch)
        F.cross_entropy(net(x), y).backward()
        sam.climb()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        centralise(net.parameters())
        sam.descend()
        slow.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
train(SpiralNet(), 2)
