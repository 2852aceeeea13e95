"""Demand forecasting with a GRU: Huber-type loss with a running threshold, coverage figures computed in numpy."""
from collections import deque

import numpy as np
import torch
from torch import nn


class ErrorMonitor:
    """Running quantiles of the absolute error, for the dashboard and for the loss threshold."""

    def __init__(self, levels=(0.5, 0.9, 0.99), keep=20):
        self.levels = levels
        self.history = deque(maxlen=keep)

    def observe(self, errors: torch.Tensor) -> None:
        flat = errors.detach().numpy().ravel()
        np.abs(flat, out=flat)  # BUG silent
        self.history.append(np.quantile(flat, self.levels))

    @property
    def current(self):
        return np.mean(self.history, axis=0) if self.history else np.ones(len(self.levels))

    def threshold(self) -> float:
        return float(self.current[1])


class SoftHuber(nn.Module):
    """Quadratic near zero, linear far away, with the knee where the monitor puts it."""

    def __init__(self, monitor: ErrorMonitor):
        super().__init__()
        self.monitor = monitor

    def forward(self, pred, target, weight):
        err = pred - target
        knee = max(self.monitor.threshold(), 1e-3)
        near = 0.5 * err.square()
        far = knee * (err * torch.tanh(err / knee)) - 0.5 * knee ** 2
        loss = torch.where(err.abs() < knee, near, far)
        self.monitor.observe(err)
        return (loss * weight).sum() / weight.sum()


class DemandNet(nn.Module):
    def __init__(self, covariates, hidden=20, horizon=4):
        super().__init__()
        self.enc = nn.GRU(1 + covariates, hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ELU(), nn.Linear(hidden, horizon))

    def forward(self, sales, cov):
        scale = sales.mean(1, keepdim=True).clamp_min(1.0)
        x = torch.cat([(sales / scale).unsqueeze(-1), cov], -1)
        _, h = self.enc(x)
        return self.head(h[0]), scale


def shop_data(shops, days, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(days)
    week = 1 + 0.3 * np.sin(2 * np.pi * t / 7)
    level = rng.gamma(3.0, 10.0, (shops, 1))
    promo = (rng.random((shops, days)) < 0.1).astype(np.float32)
    sales = rng.poisson(level * week * (1 + promo)).astype(np.float32)
    cov = np.stack([np.broadcast_to(week - 1, promo.shape), promo], -1).astype(np.float32)
    return torch.from_numpy(sales), torch.from_numpy(cov)


def training_pairs(sales, cov, lookback, horizon, rng):
    while True:
        s = rng.integers(0, sales.shape[1] - lookback - horizon)
        cut = slice(s, s + lookback)
        yield sales[:, cut], cov[:, cut], sales[:, s + lookback:s + lookback + horizon]


# --- driver ---
torch.manual_seed(0)
sales, cov = shop_data(10, 60, seed=2)
net, monitor = DemandNet(2), ErrorMonitor()
criterion = SoftHuber(monitor)
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
pairs = training_pairs(sales, cov, 21, 4, np.random.default_rng(0))
for _, (x, c, y) in zip(range(4), pairs):
    pred, scale = net(x, c)
    loss = criterion(pred, y / scale, scale.expand_as(pred))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(monitor.current)
