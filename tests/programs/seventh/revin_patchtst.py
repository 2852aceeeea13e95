"""Patch-based long-horizon forecaster with reversible instance normalisation."""
from dataclasses import dataclass, asdict

import numpy as np
import torch
import torch.nn as nn


@dataclass
class Hparams:
    channels: int = 3
    lookback: int = 24
    horizon: int = 8
    patch: int = 6
    stride: int = 3
    dim: int = 12
    dropout: float = 0.1

    @property
    def n_patches(self):
        return (self.lookback - self.patch) // self.stride + 1


class RevIN(nn.Module):
    def __init__(self, channels, eps=1e-5, affine=True):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(channels), requires_grad=affine)
        self.bias = nn.Parameter(torch.zeros(channels), requires_grad=affine)
        self.mean = self.std = None

    def normalise(self, x):
        with torch.no_grad():
            self.mean = x.mean(1, keepdim=True)
            self.std = x.var(1, keepdim=True, unbiased=False).add_(self.eps).sqrt_()
        z = x - self.mean
        z /= self.std
        return z * self.gain + self.bias

    def restore(self, y):
        y -= self.bias
        y = y / (self.gain + self.eps)
        y *= self.std
        y += self.mean
        return y


class PatchEncoder(nn.Module):
    def __init__(self, hp: Hparams):
        super().__init__()
        self.hp = hp
        self.proj = nn.Linear(hp.patch, hp.dim)
        self.pos = nn.Parameter(torch.empty(hp.n_patches, hp.dim).uniform_(-0.02, 0.02))
        self.attn = nn.MultiheadAttention(hp.dim, 2, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(hp.dim, 2 * hp.dim), nn.GELU(), nn.Dropout(hp.dropout), nn.Linear(2 * hp.dim, hp.dim))
        self.n1, self.n2 = nn.BatchNorm1d(hp.dim), nn.BatchNorm1d(hp.dim)

    def _norm(self, bn, x):
        return bn(x.transpose(1, 2)).transpose(1, 2)

    def forward(self, x):
        b, l, c = x.shape
        p = x.transpose(1, 2).reshape(b * c, l).unfold(-1, self.hp.patch, self.hp.stride)
        h = self.proj(p)
        h += self.pos
        a, _ = self.attn(h, h, h, need_weights=False)
        h = self._norm(self.n1, h + a)
        f = self.ff(h)
        f += h
        return self._norm(self.n2, f).reshape(b, c, -1)


class Forecaster(nn.Module):
    def __init__(self, hp: Hparams):
        super().__init__()
        self.revin = RevIN(hp.channels)
        self.enc = PatchEncoder(hp)
        self.head = nn.Linear(hp.dim * hp.n_patches, hp.horizon)

    def forward(self, x):
        z = self.enc(self.revin.normalise(x))
        return self.revin.restore(self.head(z).transpose(1, 2))


class Windows(torch.utils.data.Dataset):
    def __init__(self, hp: Hparams, n=80):
        t = np.arange(n)[:, None]
        x = np.sin(t / np.array([3.0, 5.0, 9.0])[: hp.channels]) + 0.01 * t
        x[n // 2] += 3
        self.x = torch.from_numpy(x).float()
        self.hp = hp

    def __len__(self):
        return len(self.x) - self.hp.lookback - self.hp.horizon

    def __getitem__(self, i):
        j = i + self.hp.lookback
        past = self.x[i:j].clone()
        past[torch.rand(len(past)) < 0.05] = 0
        return past, self.x[j:j + self.hp.horizon]


def fit(hp: Hparams, max_steps=2):
    net = Forecaster(hp)
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    per_step = torch.zeros(hp.horizon)
    loader = torch.utils.data.DataLoader(Windows(hp), batch_size=8, shuffle=True)
    for i, (x, y) in enumerate(loader):
        if i == max_steps:
            break
        err = (net(x) - y).abs()
        per_step += err.detach().mean((0, 2))
        opt.zero_grad()
        err.mean().backward()
        opt.step()
    return asdict(hp), per_step.div_(max_steps)


# --- driver ---
torch.manual_seed(0)
fit(Hparams())
