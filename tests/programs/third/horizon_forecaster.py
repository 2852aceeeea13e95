"""Multi horizon forecaster with reversible window normalisation on embedded series."""
from typing import Dict

import torch
from torch import nn

DEFAULTS: Dict[str, float] = {"context": 12, "horizon": 4, "dim": 6, "eps": 1e-5}


class WindowNorm(nn.Module):
    def __init__(self, dim, eps):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self._stats = None

    def normalise(self, x):
        mean = x.mean(1, keepdim=True).detach()
        std = (x.var(1, keepdim=True, unbiased=False) + self.eps).sqrt()
        self._stats = (mean, std)
        x -= mean  # BUG
        return x / std * self.gain + self.shift

    def restore(self, y):
        mean, std = self._stats
        return (y - self.shift) / (self.gain + self.eps) * std + mean


class SeriesEmbedding(nn.Module):
    def __init__(self, dim, n_series):
        super().__init__()
        self.value = nn.Linear(1, dim)
        self.ident = nn.Embedding(n_series, dim)

    def forward(self, values, ids):
        return self.value(values.unsqueeze(-1)) + self.ident(ids).unsqueeze(1)


class Forecaster(nn.Module):
    def __init__(self, n_series, **overrides):
        super().__init__()
        cfg = {**DEFAULTS, **overrides}
        self.cfg = cfg
        self.embed = SeriesEmbedding(cfg["dim"], n_series)
        self.norm = WindowNorm(cfg["dim"], cfg["eps"])
        self.time_mix = nn.Linear(cfg["context"], cfg["horizon"])
        self.head = nn.Linear(cfg["dim"], 1)

    def forward(self, values, ids):
        h = self.norm.normalise(self.embed(values, ids))
        h = self.time_mix(h.transpose(1, 2)).transpose(1, 2)
        return self.head(self.norm.restore(h)).squeeze(-1)


def windows(series, context, horizon, stride=1):
    n = series.shape[-1] - context - horizon + 1
    for s in range(0, n, stride):
        yield series[:, s:s + context], series[:, s + context:s + context + horizon]


def pinball(pred, target, q=0.6):
    d = target - pred
    return torch.maximum(q * d, (q - 1) * d).mean()


def train(model, series, lr=1e-2, limit=2):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    ids = torch.arange(len(series))
    for i, (past, future) in enumerate(windows(series, model.cfg["context"], model.cfg["horizon"])):
        if i == limit:
            break
        opt.zero_grad()
        pinball(model(past, ids), future).backward()
        opt.step()


# --- driver ---
torch.manual_seed(14)
t = torch.linspace(0, 10, 24)
series = torch.stack([torch.sin(t), torch.cos(2 * t) + 3])
train(Forecaster(2), series)
