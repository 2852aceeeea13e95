import math
from collections import OrderedDict

import torch
import torch.nn as nn


class FourierFeatures(nn.Module):
    def __init__(self, n_in, n_feat, sigma=1.0):
        super().__init__()
        B = torch.empty(n_in, n_feat).normal_(0, sigma)
        self.register_buffer("B", B)

    def forward(self, x):
        p = x @ self.B
        return torch.cat([p.sin(), p.cos()], -1)


class FieldNet(nn.Module):
    def __init__(self, layers, fourier=8):
        super().__init__()
        mods = OrderedDict(ff=FourierFeatures(2, fourier))
        prev = 2 * fourier
        for i, w in enumerate(layers):
            mods[f"lin{i}"] = nn.Linear(prev, w)
            mods[f"act{i}"] = nn.Tanh()
            prev = w
        mods["out"] = nn.Linear(prev, 1)
        self.net = nn.Sequential(mods)
        self.apply(self.xavier)

    @staticmethod
    def xavier(m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_normal_(m.weight)
            nn.init.zeros_(m.bias)

    def forward(self, xt):
        return self.net(xt)


def partials(u, xt):
    g = torch.autograd.grad(u, xt, torch.ones_like(u), create_graph=True)[0]
    return g[:, :1], g[:, 1:]


class BurgersProblem:
    def __init__(self, nu=0.01 / math.pi, x_range=(-1.0, 1.0)):
        self.nu = nu
        self.lo, self.hi = x_range

    def collocation(self, n):
        pts = torch.rand(n, 2)
        pts[:, 0].mul_(self.hi - self.lo).add_(self.lo)
        edge = torch.rand(n) < 0.2
        pts[edge, 0] = self.hi
        return pts.requires_grad_(True), edge

    def initial(self, n):
        x = torch.linspace(self.lo, self.hi, n).unsqueeze(1)
        return torch.cat([x, torch.zeros_like(x)], 1), -torch.sin(math.pi * x)

    def residual(self, net, xt, edge):
        u = net(xt)
        u_x, u_t = partials(u, xt)
        u_xx, _ = partials(u_x, xt)
        advection = u * u_x
        u[edge] = 0.0  # BUG
        reaction = 0.1 * u
        return u_t + advection - self.nu * u_xx + reaction


class Weights:
    def __init__(self, names):
        self.value = {n: 1.0 for n in names}

    def combine(self, terms):
        return sum(self.value[k] * v for k, v in terms.items())

    def rebalance(self, terms, beta=0.9):
        ref = max(v.item() for v in terms.values())
        for k, v in terms.items():
            self.value[k] = beta * self.value[k] + (1 - beta) * ref / (v.item() + 1e-8)


def solve(problem, net, steps, n_f=32, n_i=16, lr=1e-3):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    w = Weights(["pde", "ic"])
    x0, u0 = problem.initial(n_i)
    for _ in range(steps):
        xt, edge = problem.collocation(n_f)
        terms = {
            "pde": problem.residual(net, xt, edge).pow(2).mean(),
            "ic": (net(x0) - u0).pow(2).mean(),
        }
        opt.zero_grad()
        w.combine(terms).backward()
        opt.step()
        w.rebalance(terms)
    return {k: v.item() for k, v in terms.items()}


# --- driver ---
torch.manual_seed(0)
solve(BurgersProblem(), FieldNet([16, 16]), steps=2)
