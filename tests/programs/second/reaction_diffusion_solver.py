"""Hybrid PDE solver: learned correction on top of an explicit reaction-diffusion scheme."""
from typing import Callable, NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Rollout(NamedTuple):
    fields: torch.Tensor
    energy: torch.Tensor


class Laplacian(nn.Module):
    def __init__(self, dx):
        super().__init__()
        k = torch.zeros(1, 1, 3, 3)
        k[0, 0, 1] = 1.0
        k[0, 0, :, 1] = 1.0
        k[0, 0, 1, 1] = -4.0
        k /= dx ** 2
        self.register_buffer("k", k)

    def forward(self, u):
        return F.conv2d(F.pad(u, (1, 1, 1, 1), mode="circular"), self.k)


class Correction(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.c1 = nn.Conv2d(1, ch, 3, padding=1, padding_mode="circular")
        self.c2 = nn.Conv2d(ch, ch, 3, padding=1, padding_mode="circular")
        self.c3 = nn.Conv2d(ch, 1, 1)

    def forward(self, u):
        h = F.leaky_relu(self.c1(u), 0.1, inplace=True)
        r = self.c2(h)
        r += h
        return self.c3(F.leaky_relu(r, 0.1, inplace=True))


class HybridSolver(nn.Module):
    def __init__(self, dx=1.0, dt=0.1):
        super().__init__()
        self.lap = Laplacian(dx)
        self.log_d = nn.Parameter(torch.tensor(-1.0))
        self.rate = nn.Parameter(torch.tensor(0.5))
        self.net = Correction()
        self.dt = dt

    def rhs(self, u):
        du = self.lap(u) * self.log_d.exp()
        du += self.rate * u * (1 - u)
        du += 0.1 * self.net(u)
        return du

    def step(self, u):
        k1 = self.rhs(u)
        k2 = self.rhs(u + self.dt * k1)
        inc = k1 + k2
        inc *= 0.5 * self.dt
        return u + inc

    def forward(self, u0, n, observe: Callable = lambda u: u):
        first = observe(u0)
        fields = first.new_zeros(n + 1, *first.shape)
        fields[0] = first
        energy = torch.zeros(n + 1, u0.size(0))
        u = u0
        for t in range(n):
            u = self.step(u)
            fields[t + 1] = observe(u)
            energy[t + 1] = u.detach().pow(2).mean((1, 2, 3))
        return Rollout(fields, energy)


def coarse(u):
    return F.avg_pool2d(u, 2)


@torch.no_grad()
def reference_fields(u0, n, dt=0.1, d=0.3, r=0.8):
    lap = Laplacian(1.0)
    u, out = u0.clone(), [coarse(u0)]
    for _ in range(n):
        u.add_(dt * (d * lap(u) + r * u * (1 - u)))
        out.append(coarse(u))
    return torch.stack(out)


class Curriculum:
    def __init__(self, start=2, grow=1, cap=4):
        self.n, self.grow, self.cap = start, grow, cap

    def advance(self):
        self.n = min(self.cap, self.n + self.grow)


def train(solver, inits, lr=1e-3):
    opt = torch.optim.Adam(solver.parameters(), lr=lr)
    cur = Curriculum()
    for u0 in inits:
        roll = solver(u0, cur.n, coarse)
        err = roll.fields - reference_fields(u0, cur.n)
        w = torch.linspace(1.0, 0.5, cur.n + 1).view(-1, 1, 1, 1, 1)
        loss = (w * err.pow(2)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            solver.log_d.clamp_(-3.0, 0.5)
        cur.advance()


# --- driver ---
torch.manual_seed(0)
train(HybridSolver(), [torch.rand(2, 1, 8, 8) for _ in range(2)])
