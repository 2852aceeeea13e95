from enum import Enum, auto

import numpy as np
import torch
from torch import nn


class Basis(Enum):
    GENERIC = auto()
    TREND = auto()
    SEASONAL = auto()


def basis_matrix(kind, n_theta, length):
    t = np.arange(length) / length
    if kind is Basis.TREND:
        rows = [t ** p for p in range(n_theta)]
    else:
        half = n_theta // 2
        rows = [np.cos(2 * np.pi * k * t) for k in range(half)]
        rows += [np.sin(2 * np.pi * k * t) for k in range(n_theta - half)]
    return torch.tensor(np.stack(rows), dtype=torch.float32)


class Block(nn.Module):
    def __init__(self, kind, lookback, horizon, hidden, n_theta):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(lookback, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        if kind is Basis.GENERIC:
            self.back, self.fore = nn.Linear(hidden, lookback), nn.Linear(hidden, horizon)
        else:
            full = basis_matrix(kind, n_theta, lookback + horizon)
            self.theta = nn.Linear(hidden, n_theta, bias=False)
            self.register_buffer("bb", full[:, :lookback])
            self.register_buffer("bf", full[:, lookback:])
        self.kind = kind

    def forward(self, x):
        h = self.fc(x)
        if self.kind is Basis.GENERIC:
            return self.back(h), self.fore(h)
        theta = self.theta(h)
        return theta @ self.bb, theta @ self.bf


class NBeats(nn.Module):
    def __init__(self, stacks, lookback=12, horizon=4, hidden=16, n_theta=4):
        super().__init__()
        self.horizon = horizon
        self.blocks = nn.ModuleList(Block(k, lookback, horizon, hidden, n_theta) for k in stacks)

    def forward(self, x):
        level = x.abs().amax(1, keepdim=True).clamp_(min=1e-3)
        residual = x / level
        forecast = x.new_zeros(len(x), self.horizon)
        for block in self.blocks:
            back, fore = block(residual)
            residual -= back  # BUG
            forecast += fore
        return forecast * level


def smape(pred, target):
    return (2 * (pred - target).abs() / (pred.abs() + target.abs()).clamp(min=1e-4)).mean()


class WindowSampler:
    def __init__(self, series, lookback, horizon, batch):
        self.series = torch.as_tensor(series, dtype=torch.float32)
        self.l, self.h, self.b = lookback, horizon, batch

    def __iter__(self):
        hi = len(self.series) - self.l - self.h
        while True:
            starts = torch.randint(0, hi, (self.b,))
            rows = torch.stack([self.series[s:s + self.l + self.h] for s in starts.tolist()])
            yield rows[:, :self.l], rows[:, self.l:]


def train(model, sampler, steps):
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for _, (x, y) in zip(range(steps), sampler):
        loss = smape(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
series = 2 + np.sin(np.arange(80) / 4) + 0.1 * np.random.RandomState(0).randn(80)
train(NBeats([Basis.TREND, Basis.SEASONAL, Basis.GENERIC]), WindowSampler(series, 12, 4, 4), 2)
