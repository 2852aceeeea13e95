import math
from abc import ABCMeta, abstractmethod

import torch
import torch.nn as nn


class Domain(metaclass=ABCMeta):
    @abstractmethod
    def interior(self, n): ...

    @abstractmethod
    def boundary(self, n): ...


class UnitSquare(Domain):
    def __init__(self):
        self._buf = torch.empty(0, 2)

    def interior(self, n):
        if self._buf.size(0) != n:
            self._buf = torch.empty(n, 2)
        return self._buf.uniform_(0.05, 0.95).clone()

    def boundary(self, n):
        p = torch.rand(n, 2)
        side = torch.randint(0, 4, (n,))
        p[side == 0, 0] = 0.0
        p[side == 1, 0] = 1.0
        p[side == 2, 1] = 0.0
        p[side == 3, 1] = 1.0
        return p


class LShape(UnitSquare):
    def interior(self, n):
        p = super().interior(n)
        inside = (p > 0.5).all(1)
        p[inside] *= 0.5
        return p


class ResidualMLP(nn.Module):
    def __init__(self, width=16, blocks=2):
        super().__init__()
        self.inp, self.out = nn.Linear(2, width), nn.Linear(width, 1)
        self.blocks = nn.ModuleList(
            nn.ModuleList([nn.Linear(width, width), nn.Linear(width, width)]) for _ in range(blocks))

    def forward(self, x):
        h = self.inp(x)
        for a, b in self.blocks:
            r = torch.tanh(a(h))
            r = b(r).tanh_()
            h = h + r
        return self.out(h).squeeze(-1)


class FiniteDifference:
    def __init__(self, h=0.02):
        self.h = h

    def grad_sq(self, f, x):
        total = torch.zeros(x.size(0))
        for d in range(x.size(1)):
            hi, lo = x.clone(), x.clone()
            hi[:, d] += self.h
            lo[:, d] -= self.h
            total += ((f(hi) - f(lo)) / (2 * self.h)).pow(2)
        return total

    def laplacian(self, f, x):
        out = f(x) * (-2.0 * x.size(1))
        for d in range(x.size(1)):
            step = torch.zeros_like(x)
            step[:, d] = self.h
            out += f(x + step)
            out += f(x - step)
        return out.div_(self.h ** 2)


class AdaptiveWeights:
    def __init__(self, n, lr=0.1):
        self.w, self.lr = torch.ones(n), lr

    @torch.no_grad()
    def update(self, terms):
        t = torch.stack([x.detach().abs() for x in terms])
        self.w.mul_(1 - self.lr).add_(t / t.sum(), alpha=self.lr * len(terms))

    def combine(self, terms):
        return sum(w * t for w, t in zip(self.w.tolist(), terms))


def source(x):
    s = x.mul(math.pi).sin_()
    return 2 * math.pi ** 2 * s[:, 0] * s[:, 1]


def ritz_terms(net, dom, fd, n, nb):
    x, xb = dom.interior(n), dom.boundary(nb)
    energy = (0.5 * fd.grad_sq(net, x) - source(x) * net(x)).mean()
    edge = net(xb).square().mean()
    resid = fd.laplacian(net, x)
    resid += source(x)
    return energy, edge, 1e-4 * resid.pow(2).mean()


def solve(net, dom, steps, n=24, nb=12):
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    fd, weights = FiniteDifference(), AdaptiveWeights(3)
    err = torch.zeros(steps)
    for s in range(steps):
        terms = ritz_terms(net, dom, fd, n, nb)
        loss = weights.combine(terms)
        opt.zero_grad()
        loss.backward()
        opt.step()
        weights.update(terms)
        with torch.no_grad():
            grid = torch.cartesian_prod(*[torch.linspace(0, 1, 5)] * 2)
            err[s] = net(grid).sub_(source(grid).div_(2 * math.pi ** 2)).abs_().max()
    return err


# --- driver ---
torch.manual_seed(0)
for dom in (UnitSquare(), LShape()):
    solve(ResidualMLP(), dom, steps=2)
