"""N-BEATS-like doubly residual forecaster with instance scaling and non-negative level weights."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def instance_scale(x):
    mean = x.mean(dim=1, keepdim=True)
    std = x.std(dim=1, keepdim=True).clamp_(min=1e-4)
    return (x - mean) / std, mean, std


class Basis(nn.Module):
    def __init__(self, backcast, forecast):
        super().__init__()
        self.register_buffer("b", backcast)
        self.register_buffer("f", forecast)

    def forward(self, theta):
        n = self.b.size(0)
        return theta[:, :n] @ self.b, theta[:, n:] @ self.f

    @property
    def n_theta(self):
        return self.b.size(0) + self.f.size(0)


def trend_basis(context, horizon, degree=2):
    t = torch.arange(context + horizon).float().div_(context)
    m = torch.stack([t ** i for i in range(degree + 1)])
    return Basis(m[:, :context].clone(), m[:, context:].clone())


def seasonal_basis(context, horizon, harmonics=2, period=7):
    t = torch.arange(context + horizon).float().mul_(2 * math.pi / period)
    rows = [f(k * t) for k in range(1, harmonics + 1) for f in (torch.sin, torch.cos)]
    m = torch.stack(rows)
    return Basis(m[:, :context].clone(), m[:, context:].clone())


class Block(nn.Module):
    def __init__(self, context, basis, hidden=24):
        super().__init__()
        self.fc = nn.Sequential(
            nn.Linear(context, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, hidden), nn.ReLU(inplace=True)
        )
        self.theta = nn.Linear(hidden, basis.n_theta)
        self.basis = basis

    def forward(self, x):
        return self.basis(self.theta(self.fc(x)))


class NBeats(nn.Module):
    def __init__(self, context=14, horizon=5, stacks=("trend", "season"), per_stack=2):
        super().__init__()
        make = {"trend": trend_basis, "season": seasonal_basis}
        self.blocks = nn.ModuleList(
            Block(context, make[s](context, horizon)) for s in stacks for _ in range(per_stack)
        )
        self.level = nn.Linear(context, 1, bias=False)
        self.horizon = horizon

    def forward(self, x):
        z, mean, std = instance_scale(x)
        forecast = x.new_zeros(x.size(0), self.horizon)
        forecast += self.level(z)
        residual = z
        for blk in self.blocks:
            back, fore = blk(residual)
            residual = residual - back
            forecast += fore
        out = forecast * std
        out += mean
        return out

    @torch.no_grad()
    def constrain(self):
        self.level.weight.clamp_(min=0.0)


class Pinball(nn.Module):
    def __init__(self, q=0.6):
        super().__init__()
        self.q = q

    def forward(self, pred, y):
        e = y - pred
        return torch.maximum(self.q * e, (self.q - 1) * e).mean()


def weekly_series(n, t):
    days = torch.arange(t).float()
    x = torch.rand(n, 1) * 10 + 2 * torch.sin(2 * math.pi * (days + torch.rand(n, 1) * 7) / 7)
    x += 0.3 * torch.randn(n, t)
    x.clamp_(min=0.0)
    return x


def fit(model, steps=2, bsz=8, context=14):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    loss_fn = Pinball()
    smape = torch.zeros(steps)
    for i in range(steps):
        s = weekly_series(bsz, context + model.horizon)
        x, y = s[:, :context], s[:, context:]
        pred = model(x)
        loss = loss_fn(pred, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.constrain()
        smape[i] = (2 * (pred.detach() - y).abs() / (pred.detach().abs() + y.abs() + 1e-6)).mean()
    return smape


# --- driver ---
torch.manual_seed(0)
fit(NBeats())
