"""Patch-based multivariate forecaster with reversible instance normalisation."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class ForecastConfig:
    n_vars: int = 3
    lookback: int = 24
    horizon: int = 6
    patch: int = 6
    dim: int = 12
    heads: int = 2
    affine: bool = True


class RevIN(nn.Module):
    def __init__(self, n_vars, affine, eps=1e-5):
        super().__init__()
        self.eps, self.affine = eps, affine
        if affine:
            self.gamma, self.beta = nn.Parameter(torch.ones(n_vars)), nn.Parameter(torch.zeros(n_vars))

    def normalize(self, x):
        self.mean = x.mean(1, keepdim=True).detach()
        self.std = x.var(1, keepdim=True, unbiased=False).add(self.eps).sqrt_().detach()
        y = (x - self.mean).div_(self.std)
        return y * self.gamma + self.beta if self.affine else y

    def denormalize(self, y):
        if self.affine:
            y = (y - self.beta) / (self.gamma + self.eps)
        y = y * self.std
        y += self.mean
        return y


class PatchEmbed(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.patch = cfg.patch
        self.n = cfg.lookback // cfg.patch
        self.proj = nn.Linear(cfg.patch, cfg.dim)
        self.pos = nn.Parameter(torch.zeros(self.n, cfg.dim))
        nn.init.uniform_(self.pos, -0.02, 0.02)

    def forward(self, x):
        p = x.transpose(1, 2).unfold(-1, self.patch, self.patch)
        z = self.proj(p)
        z += self.pos
        return z.flatten(0, 1)


class PatchForecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg, self.revin, self.embed = cfg, RevIN(cfg.n_vars, cfg.affine), PatchEmbed(cfg)
        self.attn = nn.MultiheadAttention(cfg.dim, cfg.heads, batch_first=True)
        self.norm = nn.LayerNorm(cfg.dim)
        self.ff = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.ReLU(inplace=True), nn.Linear(2 * cfg.dim, cfg.dim))
        self.head = nn.Linear(self.embed.n * cfg.dim, cfg.horizon)

    def forward(self, x):
        z = self.embed(self.revin.normalize(x))
        a, _ = self.attn(z, z, z, need_weights=False)
        z = self.norm(z + a)
        z = z + self.ff(z)
        out = self.head(z.flatten(1)).view(x.size(0), self.cfg.n_vars, -1).transpose(1, 2)
        return self.revin.denormalize(out)


class QuantileHorizonLoss(nn.Module):
    def __init__(self, horizon, decay=0.9, q=0.5):
        super().__init__()
        w = decay ** torch.arange(horizon).float()
        w /= w.sum()
        self.register_buffer('w', w)
        self.q = q

    def forward(self, pred, target):
        e = target - pred
        pin = torch.maximum(self.q * e, (self.q - 1) * e)
        return (pin.mean(-1) * self.w).sum(1).mean()


class ErrorBank:
    """Keeps the last residuals per horizon step."""

    def __init__(self, horizon, n_vars, size=16):
        self.res = torch.zeros(size, horizon, n_vars)
        self.i = 0

    @torch.no_grad()
    def push(self, residual):
        for r in residual:
            self.res[self.i % len(self.res)] = r
            self.i += 1

    def interval(self, pred, level=0.9):
        width = self.res.abs().quantile(level, dim=0)
        return pred - width, pred + width


def sliding(series, cfg, batch):
    s = torch.randint(0, len(series) - cfg.lookback - cfg.horizon, (batch,)).tolist()
    x = torch.stack([series[i:i + cfg.lookback] for i in s])
    y = torch.stack([series[i + cfg.lookback:i + cfg.lookback + cfg.horizon] for i in s])
    return x, y


def train(cfg, series, steps, batch=6, lr=1e-3):
    net, crit, bank = PatchForecaster(cfg), QuantileHorizonLoss(cfg.horizon), ErrorBank(cfg.horizon, cfg.n_vars)
    opt = torch.optim.AdamW(net.parameters(), lr=lr)
    for _ in range(steps):
        x, y = sliding(series, cfg, batch)
        pred = net(x)
        bank.push(y - pred)
        loss = crit(pred, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item(), bank.interval(pred.detach())[0].shape


# --- driver ---
series = torch.randn(120, 3).cumsum_(0)
print(train(ForecastConfig(), series, steps=2))
