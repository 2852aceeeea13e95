"""Regression on sensor data with a running-statistics normaliser inside the network."""
from typing import Dict, Optional

import numpy as np
import torch
from torch import nn


class RunningNorm(nn.Module):
    def __init__(self, dim: int, momentum: float = 0.05, eps: float = 1e-5):
        super().__init__()
        self.momentum, self.eps = momentum, eps
        self.gain = nn.Parameter(torch.ones(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("std", torch.ones(dim))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        x_hat = (x - self.mean) / self.std
        if self.training:
            self.track(x.detach())
        return torch.addcmul(self.shift, x_hat, self.gain)

    @torch.no_grad()
    def track(self, x):
        m = max(self.momentum, 1.0 / (int(self.steps) + 2))
        self.mean.lerp_(x.mean(0), m)
        self.std.mul_(1 - m).add_(x.std(0) + self.eps, alpha=m)  # BUG
        self.steps += 1


class SensorNet(nn.Module):
    def __init__(self, n_in: int, widths=(16, 16), dropout: Optional[float] = 0.1):
        super().__init__()
        mods, prev = [], n_in
        for w in widths:
            mods += [nn.Linear(prev, w), RunningNorm(w), nn.SiLU()]
            if dropout:
                mods.append(nn.Dropout(dropout))
            prev = w
        self.body = nn.Sequential(*mods)
        self.mean = nn.Linear(prev, 1)
        self.logvar = nn.Linear(prev, 1)

    def forward(self, x):
        h = self.body(x)
        return self.mean(h).squeeze(-1), self.logvar(h).squeeze(-1).clamp(-6, 3)


def gaussian_nll(mu, logvar, y):
    err = (y - mu) ** 2
    return 0.5 * (err * torch.exp(-logvar) + logvar).mean()


class SensorData:
    def __init__(self, n: int, d: int, seed: int = 0):
        rng = np.random.RandomState(seed)
        self.x = rng.randn(n, d).astype("float32")
        self.x[:, 0] *= 10.0
        self.x[:, 1] += 3.0
        self.y = (np.sin(self.x[:, 0]) + 0.1 * rng.randn(n)).astype("float32")

    def batches(self, size: int):
        order = np.random.permutation(len(self.x))
        for i in range(0, len(order), size):
            idx = order[i:i + size]
            yield torch.from_numpy(self.x[idx]), torch.from_numpy(self.y[idx])


class Runner:
    def __init__(self, model, cfg: Dict):
        self.model, self.cfg = model, cfg
        decay, plain = [], []
        for n, p in model.named_parameters():
            (plain if p.ndim < 2 else decay).append(p)
        self.opt = torch.optim.AdamW(
            [{"params": decay, "weight_decay": cfg["wd"]}, {"params": plain, "weight_decay": 0.0}], lr=cfg["lr"]
        )

    def epoch(self, data: SensorData) -> float:
        self.model.train()
        tot, n = 0.0, 0
        for x, y in data.batches(self.cfg["batch"]):
            mu, lv = self.model(x)
            loss = gaussian_nll(mu, lv, y)
            self.opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg["clip"])
            self.opt.step()
            tot += loss.item() * len(y)
            n += len(y)
        return tot / n


# --- driver ---
torch.manual_seed(0)
np.random.seed(0)
runner = Runner(SensorNet(5), dict(wd=1e-2, lr=1e-3, batch=8, clip=1.0))
runner.epoch(SensorData(16, 5))
