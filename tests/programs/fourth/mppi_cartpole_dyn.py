import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class MPPIConfig:
    horizon: int = 6
    samples: int = 16
    temperature: float = 0.5
    noise: float = 0.4
    limit: float = 1.0


def true_dynamics(s, u, dt=0.05):
    x, th, xd, thd = s.unbind(-1)
    u = u.squeeze(-1) * 10
    thdd = (9.8 * th.sin() - th.cos() * u / 1.1) / 0.7
    nxt = torch.stack([x + dt * xd, th + dt * thd, xd + dt * u / 1.1, thd + dt * thdd], -1)
    nxt[..., 1].add_(math.pi).remainder_(2 * math.pi).sub_(math.pi)
    return nxt


class DynamicsEnsemble(nn.Module):
    def __init__(self, members=3, hidden=12):
        super().__init__()
        self.members = nn.ModuleList(
            nn.Sequential(nn.Linear(6, hidden), nn.SiLU(), nn.Linear(hidden, 8)) for _ in range(members))
        self.register_buffer("mu", torch.zeros(6))
        self.register_buffer("sd", torch.ones(6))

    @torch.no_grad()
    def fit_scaler(self, x):
        self.mu.copy_(x.mean(0))
        self.sd.copy_(x.std(0)).clamp_(min=1e-3)

    @staticmethod
    def features(s, u):
        th = s[..., 1:2]
        return torch.cat([s[..., :1], th.sin(), th.cos(), s[..., 2:], u], -1)

    def forward(self, s, u):
        z = self.features(s, u)
        z -= self.mu
        z /= self.sd
        outs = torch.stack([m(z) for m in self.members])
        mean, logvar = outs.chunk(2, -1)
        return s + mean, logvar.clamp(-6, 2)

    def nll(self, s, u, nxt):
        mean, logvar = self(s, u)
        diff = mean - nxt
        err = diff.clone()
        err[..., 1] = torch.atan2(diff[..., 1].sin(), diff[..., 1].cos())
        return (err.square() * (-logvar).exp() + logvar).mean()


class MPPI:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.plan = torch.zeros(cfg.horizon, 1)

    @staticmethod
    def cost(s, u):
        c = 1 - s[..., 1].cos()
        c += 0.1 * s[..., 0].square()
        c += 0.01 * u.squeeze(-1).square()
        return c

    @torch.no_grad()
    def act(self, state):
        cfg = self.cfg
        noise = torch.randn(cfg.samples, cfg.horizon, 1).mul_(cfg.noise)
        noise[0] = 0
        u = (self.plan + noise).clamp_(-cfg.limit, cfg.limit)
        s = state.expand(cfg.samples, -1)
        total = torch.zeros(cfg.samples)
        for t in range(cfg.horizon):
            s = self.model(s, u[:, t])[0].mean(0)
            total += self.cost(s, u[:, t])
        total.sub_(total.min()).div_(-cfg.temperature).exp_()
        total /= total.sum()
        self.plan.copy_((total.view(-1, 1, 1) * u).sum(0))
        first = self.plan[0].clone()
        self.plan[:-1] = self.plan[1:].clone()
        self.plan[-1] = 0
        return first


def collect(policy, steps):
    s = torch.tensor([0.0, math.pi - 0.1, 0.0, 0.0])
    data = torch.zeros(steps, 9)
    for t in range(steps):
        u = policy(s)
        nxt = true_dynamics(s, u)
        data[t, :4], data[t, 4:5], data[t, 5:] = s, u, nxt
        s = nxt
    return data


def learn(model, data, steps, lr=1e-2):
    s, u, nxt = data.split([4, 1, 4], -1)
    model.fit_scaler(model.features(s, u))
    opt = torch.optim.Adam(model.parameters(), lr)
    for _ in range(steps):
        opt.zero_grad()
        model.nll(s, u, nxt).backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
model = DynamicsEnsemble()
data = collect(lambda s: torch.empty(1).uniform_(-1, 1), 12)
learn(model, data, 2)
collect(MPPI(model, MPPIConfig()).act, 3)
