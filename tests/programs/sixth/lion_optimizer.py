import math
from typing import Callable, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.optimizer import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0, cautious=False):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay, cautious=cautious))

    @torch.no_grad()
    def step(self, closure: Optional[Callable] = None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            b1, b2 = g["betas"]
            for p in g["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st["m"] = torch.zeros_like(p)
                p.mul_(1 - g["lr"] * g["weight_decay"])
                update = st["m"].mul(b1).add_(p.grad, alpha=1 - b1).sign_()
                if g["cautious"]:
                    update.mul_((update * p.grad > 0).to(update.dtype))
                p.add_(update, alpha=-g["lr"])
                st["m"].mul_(b2).add_(p.grad, alpha=1 - b2)
        return loss


class Lookahead:
    def __init__(self, base: Optimizer, k=2, alpha=0.5):
        self.base, self.k, self.alpha, self.t = base, k, alpha, 0
        self.slow = [[p.detach().clone() for p in g["params"]] for g in base.param_groups]

    def zero_grad(self):
        self.base.zero_grad()

    @torch.no_grad()
    def step(self, closure=None):
        loss = self.base.step(closure)
        self.t += 1
        if self.t % self.k == 0:
            for slow, g in zip(self.slow, self.base.param_groups):
                for s, p in zip(slow, g["params"]):
                    s.add_(p - s, alpha=self.alpha)
                    p.copy_(s)
        return loss


class SIREN(nn.Module):
    def __init__(self, dim=16, depth=2, w0=30.0):
        super().__init__()
        dims = [2] + [dim] * depth
        self.w0 = w0
        self.lins = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        self.out = nn.Linear(dim, 1)
        for i, l in enumerate(self.lins):
            bound = 1 / l.in_features if i == 0 else math.sqrt(6 / l.in_features) / w0
            l.weight.data.uniform_(-bound, bound)

    def forward(self, xy):
        h = xy
        for l in self.lins:
            pre = l(h)
            pre *= self.w0
            h = torch.sin(pre)
        return self.out(h)


def pixel_grid(n):
    lin = torch.linspace(-1, 1, n)
    g = torch.stack(torch.meshgrid(lin, lin, indexing="ij"), -1).view(-1, 2)
    return g


def checker(g):
    y = torch.zeros(len(g), 1)
    y[(g[:, 0] * g[:, 1]) > 0] = 1.0
    y.sub_(0.5).mul_(2)
    return y


def fit(model, opt, coords, target, steps):
    def closure():
        opt.zero_grad()
        loss = F.mse_loss(model(coords), target)
        loss.backward()
        return loss

    return [float(opt.step(closure)) for _ in range(steps)]


# --- driver ---
torch.manual_seed(0)
grid = pixel_grid(5)
model = SIREN()
fit(model, Lookahead(Lion(model.parameters(), 1e-3, weight_decay=0.1, cautious=True)), grid, checker(grid), 2)
