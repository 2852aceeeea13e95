"""N-BEATS: doubly residual stacks with trend, seasonal and generic bases; MASE-scaled loss."""
from enum import Enum
import math
import torch
from torch import nn


class Kind(Enum):
    TREND = "trend"
    SEASONAL = "seasonal"
    GENERIC = "generic"


def trend_basis(degree, steps, past):
    t = torch.arange(steps).float() / steps
    if past:
        t = t.flip(0).neg_()
    return torch.stack([t ** i for i in range(degree + 1)])


def seasonal_basis(harmonics, steps, past):
    t = torch.arange(steps).float() / steps
    if past:
        t.sub_(1.0)
    rows = torch.empty(2 * harmonics, steps)
    for k in range(harmonics):
        torch.cos(2 * math.pi * (k + 1) * t, out=rows[2 * k])
        torch.sin(2 * math.pi * (k + 1) * t, out=rows[2 * k + 1])
    return rows


class Block(nn.Module):
    def __init__(self, kind, back, ahead, width, size):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(back, width), nn.ReLU(inplace=True), nn.Linear(width, width), nn.ReLU(inplace=True))
        if kind is Kind.GENERIC:
            self.basis_b = nn.Parameter(torch.randn(size, back) / math.sqrt(size))
            self.basis_f = nn.Parameter(torch.randn(size, ahead) / math.sqrt(size))
        else:
            make = trend_basis if kind is Kind.TREND else seasonal_basis
            self.register_buffer("basis_b", make(size, back, True))
            self.register_buffer("basis_f", make(size, ahead, False))
        self.theta_b = nn.Linear(width, self.basis_b.size(0), bias=False)
        self.theta_f = nn.Linear(width, self.basis_f.size(0), bias=False)

    def forward(self, x):
        h = self.body(x)
        return self.theta_b(h) @ self.basis_b, self.theta_f(h) @ self.basis_f


class NBeats(nn.Module):
    def __init__(self, back, ahead, stacks, width=24):
        super().__init__()
        self.ahead = ahead
        self.blocks = nn.ModuleList()
        for kind, size, repeat in stacks:
            self.blocks.extend(Block(kind, back, ahead, width, size) for _ in range(repeat))

    def forward(self, history, parts=False):
        level = history.abs().mean(1, keepdim=True).clamp_min_(1e-3)
        residual = history / level
        forecast = torch.zeros(history.size(0), self.ahead)
        contributions = []
        for block in self.blocks:
            back, ahead = block(residual)
            residual = residual - back
            forecast += ahead
            contributions.append(ahead)
        forecast *= level
        return (forecast, contributions) if parts else forecast


def mase(pred, target, history):
    naive = history.diff(dim=1).abs().mean(1, keepdim=True).clamp_min_(1e-3)
    error = (pred - target).abs()
    error /= naive
    return error.mean()


class WindowSampler:
    """Random windows of many series of different length; missing values are forward filled."""

    def __init__(self, series, back, ahead):
        self.series = [self._fill(s.clone()) for s in series]
        self.back, self.ahead = back, ahead

    @staticmethod
    def _fill(s):
        for i in range(1, s.numel()):
            if s[i].isnan():
                s[i] = s[i - 1]
        return s

    def batch(self, n):
        rows = torch.empty(n, self.back + self.ahead)
        for row in rows:
            s = self.series[int(torch.randint(len(self.series), ()))]
            lo = int(torch.randint(s.numel() - row.numel() + 1, ()))
            row.copy_(s[lo: lo + row.numel()])
        return rows.split([self.back, self.ahead], dim=1)


def monthly(count):
    for _ in range(count):
        t = torch.arange(int(torch.randint(40, 60, ()))).float()
        s = 10 + 0.1 * t + 3 * torch.sin(2 * math.pi * (t / 12 + torch.rand(()))) + 0.3 * torch.randn_like(t)
        s[1:][torch.rand(t.numel() - 1) < 0.05] = float("nan")
        yield s


# --- driver ---
torch.manual_seed(7)
model = NBeats(18, 6, [(Kind.TREND, 2, 1), (Kind.SEASONAL, 3, 1), (Kind.GENERIC, 4, 1)])
sampler = WindowSampler(list(monthly(5)), 18, 6)
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for _ in range(4):
    past, future = sampler.batch(16)
    loss = mase(model(past), future, past)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
