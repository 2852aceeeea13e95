"""Latent ODE on irregular time series with fixed-step Runge-Kutta solvers."""
import math
from typing import Callable, Dict

import torch
import torch.nn as nn

SOLVERS: Dict[str, Callable] = {}


def solver(fn):
    SOLVERS[fn.__name__] = fn
    return fn


@solver
def euler(f, t, y, dt):
    return y + f(t, y) * dt


@solver
def midpoint(f, t, y, dt):
    k = f(t, y) * (0.5 * dt)
    k += y
    return y + f(t + 0.5 * dt, k) * dt


@solver
def rk4(f, t, y, dt):
    k1 = f(t, y)
    k2 = f(t + dt / 2, y + k1 * (dt / 2))
    k3 = f(t + dt / 2, y + k2 * (dt / 2))
    k4 = f(t + dt, y + k3 * dt)
    acc = k1.clone()
    acc.add_(k2, alpha=2).add_(k3, alpha=2).add_(k4)
    return y + acc.mul_(dt / 6)


class CountedField(nn.Module):
    def __init__(self, dim, hid):
        super().__init__()
        self.l1, self.l2 = nn.Linear(dim + 2, hid), nn.Linear(hid, dim)
        self.register_buffer("nfe", torch.zeros((), dtype=torch.long))
        nn.init.zeros_(self.l2.bias)
        with torch.no_grad():
            self.l2.weight.mul_(0.5)

    def forward(self, t, y):
        self.nfe += 1
        clock = y.new_empty(y.size(0), 2)
        clock[:, 0] = math.sin(t)
        clock[:, 1] = math.cos(t)
        h = torch.tanh_(self.l1(torch.cat([y, clock], 1)))
        return self.l2(h)


class ODEBlock(nn.Module):
    def __init__(self, field, method="rk4", max_dt=0.25):
        super().__init__()
        self.field, self.step, self.max_dt = field, SOLVERS[method], max_dt

    def forward(self, y0, times):
        traj = y0.new_zeros(len(times), *y0.shape)
        traj[0] = y0
        y, t = y0, float(times[0])
        for i in range(1, len(times)):
            span = float(times[i]) - t
            n = max(1, math.ceil(span / self.max_dt))
            for _ in range(n):
                y = self.step(self.field, t, y, span / n)
                t += span / n
            traj[i] = y
        return traj


class LatentODE(nn.Module):
    def __init__(self, obs, latent=4, hid=12, method="rk4"):
        super().__init__()
        self.enc = nn.GRU(obs * 2 + 1, hid)
        self.to_z = nn.Linear(hid, 2 * latent)
        self.ode = ODEBlock(CountedField(latent, hid), method)
        self.dec = nn.Linear(latent, obs)

    def encode(self, x, mask, times):
        gaps = torch.zeros_like(times)
        gaps[1:] = times[1:] - times[:-1]
        feats = torch.cat([x * mask, mask, gaps.view(-1, 1, 1).expand(-1, x.size(1), 1)], -1)
        _, h = self.enc(feats.flip(0))
        return self.to_z(h[0]).chunk(2, -1)

    def loss(self, x, mask, times, beta=0.1):
        mu, logvar = self.encode(x, mask, times)
        z = torch.randn_like(mu) * (0.5 * logvar).exp_()
        z += mu
        pred = self.dec(self.ode(z, times))
        err = (pred - x).pow(2) * mask
        kl = 0.5 * (mu.pow(2) + logvar.exp() - 1 - logvar).sum(1).mean()
        return err.sum() / mask.sum() + beta * kl


def irregular_waves(n, t, obs, missing=0.3):
    times = torch.rand(t).sort().values.mul_(2.0)
    phase = torch.rand(1, n, obs).mul_(2 * math.pi)
    x = torch.sin(times.view(-1, 1, 1) * 3 + phase)
    mask = torch.ones_like(x)
    mask[torch.rand_like(x) < missing] = 0.0
    mask[0].fill_(1.0)
    return x, mask, times


def fit(model, steps, obs, lr=1e-2):
    opt = torch.optim.Adamax(model.parameters(), lr=lr)
    evals = []
    for _ in range(steps):
        model.ode.field.nfe.zero_()
        loss = model.loss(*irregular_waves(4, 6, obs))
        opt.zero_grad()
        loss.backward()
        opt.step()
        evals.append(int(model.ode.field.nfe))
    return evals


# --- driver ---
torch.manual_seed(0)
for name in ("euler", "midpoint", "rk4"):
    fit(LatentODE(2, method=name), 1, 2)
