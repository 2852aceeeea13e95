"""Burgers equation with hard boundary conditions imposed on the network output."""
import functools
from dataclasses import dataclass, field
from typing import Callable, List

import numpy as np
import torch
import torch.nn as nn


@dataclass
class Problem:
    nu: float = 0.01 / np.pi
    x_lo: float = -1.0
    x_hi: float = 1.0
    t_hi: float = 1.0
    n_col: int = 24
    widths: List[int] = field(default_factory=lambda: [2, 12, 12, 1])


def timed(store: list):
    def deco(fn: Callable):
        @functools.wraps(fn)
        def inner(*a, **k):
            out = fn(*a, **k)
            store.append(float(out.detach()))
            return out
        return inner
    return deco


HISTORY: list = []


class MLP(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths[:-2], widths[1:-1]))
        self.last = nn.Linear(widths[-2], widths[-1])

    def forward(self, z):
        for layer in self.hidden:
            z = torch.tanh(layer(z))
        return torch.tanh(self.last(z))


class BurgersNet(nn.Module):
    def __init__(self, problem: Problem):
        super().__init__()
        self.p = problem
        self.mlp = MLP(problem.widths)

    def forward(self, t, x):
        u = self.mlp(torch.cat([t, x], dim=1))
        u *= t * (x - self.p.x_lo) * (self.p.x_hi - x)  # BUG
        return u - torch.sin(np.pi * x)


def d(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def sample_points(p: Problem):
    t = torch.rand(p.n_col, 1).mul_(p.t_hi).requires_grad_()
    x = torch.empty(p.n_col, 1).uniform_(p.x_lo, p.x_hi).requires_grad_()
    return t, x


@timed(HISTORY)
def residual_loss(net: BurgersNet):
    t, x = sample_points(net.p)
    u = net(t, x)
    u_t, u_x = d(u, t), d(u, x)
    u_xx = d(u_x, x)
    return (u_t + u * u_x - net.p.nu * u_xx).pow(2).mean()


def train(net, steps=1, lr=1e-3):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        residual_loss(net).backward()
        opt.step()
    return HISTORY


# --- driver ---
torch.manual_seed(0)
train(BurgersNet(Problem()))
