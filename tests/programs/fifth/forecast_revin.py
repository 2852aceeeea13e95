"""Forecasting service: windows, reversible normalisation, scheduled sampling, quantile loss."""
from __future__ import annotations
import argparse
import logging
import random
from typing import NamedTuple
import torch
import torch.nn as nn

logger = logging.getLogger(__name__)
QUANTILES = (0.1, 0.5, 0.9)


class Window(NamedTuple):
    past: torch.Tensor
    future: torch.Tensor
    observed: torch.Tensor


def build_args(**overrides) -> argparse.Namespace:
    base = dict(context=8, horizon=4, channels=2, hidden=12, lr=1e-2, teacher=0.5, smooth=0.3)
    base.update(overrides)
    return argparse.Namespace(**base)


class SeriesStore:
    def __init__(self, args, length=64):
        self.args = args
        t = torch.arange(length).float()
        self.values = torch.stack([torch.sin(0.3 * t), torch.cos(0.2 * t).mul_(3)], 1)
        self.values += torch.randn_like(self.values).mul_(0.1)
        self.values[:, 1].add_(t, alpha=0.05)
        self.missing = torch.rand_like(self.values) < 0.05

    def ffill(self, x, miss):
        for i in range(1, len(x)):
            x[i][miss[i]] = x[i - 1][miss[i]]
        return x

    def draw(self, n) -> Window:
        c, h = self.args.context, self.args.horizon
        starts = [random.randrange(len(self.values) - c - h) for _ in range(n)]
        filled = self.ffill(self.values.clone(), self.missing)
        seg = torch.stack([filled[s:s + c + h] for s in starts])
        obs = torch.stack([~self.missing[s + c:s + c + h] for s in starts])
        return Window(seg[:, :c], seg[:, c:], obs)


class RevIN(nn.Module):
    def __init__(self, channels, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.w, self.b = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))

    def norm(self, x):
        mean = x.mean(1, keepdim=True)
        std = x.var(1, keepdim=True, unbiased=False).add_(self.eps).sqrt_()
        z = x - mean
        z /= std
        z = z * self.w
        z += self.b
        return z, (mean, std)

    def denorm(self, y, stats):
        mean, std = stats
        y = y - self.b[:, None]
        y = y / (self.w[:, None] + self.eps)
        y *= std.unsqueeze(-1)
        y += mean.unsqueeze(-1)
        return y


class Seq2Seq(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args, c, h = args, args.channels, args.hidden
        self.revin = RevIN(c)
        self.enc, self.cell = nn.GRU(c, h, batch_first=True), nn.GRUCell(c, h)
        self.out = nn.Linear(h, c * len(QUANTILES))
        self.register_buffer('offsets', torch.tensor(QUANTILES).sub_(0.5))

    def forward(self, past, future=None):
        z, stats = self.revin.norm(past)
        _, h = self.enc(z)
        h, x = h[0], z[:, -1]
        pred = torch.zeros(past.size(0), self.args.horizon, self.args.channels, len(QUANTILES))
        for t in range(self.args.horizon):
            h = self.cell(x, h)
            q = self.out(h).view(-1, self.args.channels, len(QUANTILES))
            q += self.offsets
            pred[:, t] = q
            x = q[..., 1]
            if future is not None and random.random() < self.args.teacher:
                x = ((future[:, t] - stats[0][:, 0]) / stats[1][:, 0]).detach()
        return self.revin.denorm(pred, stats)


def quantile_loss(pred, w: Window):
    diff = w.future.unsqueeze(-1) - pred
    q = torch.tensor(QUANTILES)
    loss = torch.maximum(q * diff, (q - 1) * diff)
    loss[~w.observed] = 0.0
    return loss.sum() / w.observed.sum()


class Service:
    def __init__(self, args):
        self.args, self.store, self.model = args, SeriesStore(args), Seq2Seq(args)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        self.err = torch.zeros(args.horizon)

    def train(self, steps, n=4):
        for _ in range(steps):
            w = self.store.draw(n)
            pred = self.model(w.past, w.future)
            loss = quantile_loss(pred, w)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            mae = (pred.detach()[..., 1] - w.future).abs_().mean((0, 2))
            self.err.mul_(1 - self.args.smooth).add_(mae, alpha=self.args.smooth)
            logger.info('loss %.4f', loss.item())
        return self.err


# --- driver ---
torch.manual_seed(0)
random.seed(0)
Service(build_args()).train(2)
