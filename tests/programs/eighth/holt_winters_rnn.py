"""Hybrid exponential smoothing + RNN forecaster."""
import argparse
import math

import torch
import torch.nn as nn


def parse(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--period", type=int, default=4)
    ap.add_argument("--window", type=int, default=6)
    ap.add_argument("--horizon", type=int, default=3)
    ap.add_argument("--hidden", type=int, default=10)
    ap.add_argument("--tau", type=float, default=0.49)
    ap.add_argument("--lr", type=float, default=5e-3)
    return ap.parse_args(argv or [])


class Smoothing(nn.Module):
    """Per-series level and multiplicative seasonality."""

    def __init__(self, n_series, period):
        super().__init__()
        self.period = period
        self.alpha_raw = nn.Parameter(torch.full((n_series,), -0.5))
        self.gamma_raw = nn.Parameter(torch.full((n_series,), -1.0))
        self.season0 = nn.Parameter(torch.zeros(n_series, period))

    def forward(self, y):
        n, T = y.shape
        a = torch.sigmoid(self.alpha_raw)
        g = torch.sigmoid(self.gamma_raw)
        seasons = list(self.season0.exp().unbind(1))
        levels = torch.zeros(n, T)
        levels[:, 0] = y[:, 0] / seasons[0]
        for t in range(1, T):
            s = seasons[t]
            levels[:, t] = a * y[:, t] / s + (1 - a) * levels[:, t - 1]  # BUG
            if len(seasons) < T + self.period:
                seasons.append(g * y[:, t] / levels[:, t] + (1 - g) * s)
        return levels, torch.stack(seasons, 1)


class ESRNN(nn.Module):
    def __init__(self, n_series, cfg):
        super().__init__()
        self.cfg = cfg
        self.es = Smoothing(n_series, cfg.period)
        self.rnn = nn.GRU(cfg.window, cfg.hidden, batch_first=True)
        self.head = nn.Sequential(nn.Linear(cfg.hidden, cfg.hidden), nn.Tanh(), nn.Linear(cfg.hidden, cfg.horizon))

    def forward(self, y):
        c = self.cfg
        levels, seasons = self.es(y)
        xs, ys, = [], []
        for end in range(c.window, y.size(1) - c.horizon + 1):
            lvl = levels[:, end - 1:end]
            xs.append(torch.log(y[:, end - c.window:end] / lvl / seasons[:, end - c.window:end]))
            ys.append(torch.log(y[:, end:end + c.horizon] / lvl / seasons[:, end:end + c.horizon]))
        h, _ = self.rnn(torch.stack(xs, 1))
        return self.head(h), torch.stack(ys, 1), levels


class PinballLoss(nn.Module):
    def __init__(self, tau):
        super().__init__()
        self.tau = tau

    def forward(self, pred, target):
        d = target - pred
        return torch.maximum(self.tau * d, (self.tau - 1) * d).mean()


def level_penalty(levels):
    lg = levels.log()
    return (lg[:, 2:] - 2 * lg[:, 1:-1] + lg[:, :-2]).pow(2).mean()


def synthetic_sales(n, T, period):
    t = torch.arange(T).float()
    base = torch.empty(n, 1).uniform_(5, 20)
    season = 1 + 0.3 * torch.sin(2 * math.pi * t / period)
    y = base * season * (1 + 0.01 * t)
    y *= torch.exp(0.05 * torch.randn(n, T))
    return y


def fit(cfg, n_series=3, T=16, epochs=2):
    y = synthetic_sales(n_series, T, cfg.period)
    model, loss_fn = ESRNN(n_series, cfg), PinballLoss(cfg.tau)
    opt = torch.optim.Adam(
        [{"params": model.es.parameters(), "lr": cfg.lr * 2}, {"params": model.rnn.parameters()},
         {"params": model.head.parameters()}], lr=cfg.lr)
    for _ in range(epochs):
        pred, target, levels = model(y)
        loss = loss_fn(pred, target) + 0.1 * level_penalty(levels)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
fit(parse())
