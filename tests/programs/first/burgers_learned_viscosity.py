"""Differentiable Burgers solver with a learned viscosity field."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class Grid:
    n: int = 32
    length: float = 1.0
    dt: float = 1e-3

    @property
    def dx(self):
        return self.length / (self.n - 1)

    def points(self):
        return torch.linspace(0, self.length, self.n)


class ViscosityNet(nn.Module):
    def __init__(self, hidden=16, base=0.01):
        super().__init__()
        self.base = base
        self.net = nn.Sequential(nn.Linear(2, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, x, u):
        feats = torch.stack([x.expand_as(u), u], dim=-1)
        return self.base * F.softplus(self.net(feats)).squeeze(-1)


class BurgersSolver(nn.Module):
    def __init__(self, grid, viscosity):
        super().__init__()
        self.grid, self.viscosity = grid, viscosity
        self.register_buffer('x', grid.points())

    def rhs(self, u):
        dx = self.grid.dx
        c = u[:, 1:-1]
        advect = c * (u[:, 2:] - u[:, :-2]) / (2 * dx)
        diffuse = (u[:, 2:] - 2 * c + u[:, :-2]) / dx ** 2
        nu = self.viscosity(self.x, u)[:, 1:-1]
        return nu * diffuse - advect

    def forward(self, u0, n_steps, save_every=1):
        u = u0.clone()
        frames = []
        for k in range(n_steps):
            du = self.rhs(u)
            u[:, 1:-1] += self.grid.dt * du  # BUG
            if (k + 1) % save_every == 0:
                frames.append(u.clone())
        return torch.stack(frames, dim=1)


def initial_conditions(n, grid, modes=3):
    x = grid.points()
    u = torch.zeros(n, grid.n)
    for m in range(1, modes + 1):
        u += torch.randn(n, 1) / m * torch.sin(m * torch.pi * x)
    return u


def reference_solution(u0, grid, nu, n_steps):
    u = u0.clone()
    out = []
    for _ in range(n_steps):
        c = u[:, 1:-1].clone()
        adv = c * (u[:, 2:] - u[:, :-2]) / (2 * grid.dx)
        dif = (u[:, 2:] - 2 * c + u[:, :-2]) / grid.dx ** 2
        u[:, 1:-1] = c + grid.dt * (nu * dif - adv)
        out.append(u.clone())
    return torch.stack(out, dim=1)


def relative_l2(pred, target):
    return ((pred - target).flatten(1).norm(dim=1) / target.flatten(1).norm(dim=1).clamp(min=1e-6)).mean()


def train(solver, steps, batch=4, horizon=3, lr=1e-3):
    opt = torch.optim.Adam(solver.parameters(), lr=lr)
    history = []
    for _ in range(steps):
        u0 = initial_conditions(batch, solver.grid)
        target = reference_solution(u0, solver.grid, 0.02, horizon)
        loss = relative_l2(solver(u0, horizon), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


# --- driver ---
grid = Grid()
print(train(BurgersSolver(grid, ViscosityNet()), steps=2))
