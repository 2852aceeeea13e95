"""Linear forecaster with decomposition, missing value filling and scaled inputs."""
import numpy as np
import torch
from torch import nn


class Scaler:
    def __init__(self):
        self.mean = self.std = None

    def fit(self, x):
        self.mean = x.nanmean(0, keepdim=True)
        dev = x - self.mean
        dev[dev.isnan()] = 0
        self.std = dev.square_().mean(0, keepdim=True).sqrt_().add_(1e-6)
        return self

    def transform_(self, x):
        return x.sub_(self.mean).div_(self.std)

    def inverse(self, y):
        return y * self.std + self.mean


def forward_fill_(x):
    for t in range(1, len(x)):
        gap = x[t].isnan()
        x[t, gap] = x[t - 1, gap]
    return x.nan_to_num_(0.0)


class MovingAverage(nn.Module):
    def __init__(self, kernel):
        super().__init__()
        self.pool = nn.AvgPool1d(kernel, stride=1)
        self.pad = (kernel - 1) // 2, kernel // 2

    def forward(self, x):
        left, right = self.pad
        ext = torch.empty(x.shape[0], x.shape[1], x.shape[2] + left + right)
        ext[..., left:left + x.shape[2]] = x
        ext[..., :left] = x[..., :1]
        ext[..., left + x.shape[2]:] = x[..., -1:]
        return self.pool(ext)


class DecompLinear(nn.Module):
    def __init__(self, context, horizon, channels, kernel=5):
        super().__init__()
        self.trend = MovingAverage(kernel)
        self.lin_t = nn.Linear(context, horizon)
        self.lin_s = nn.Linear(context, horizon)
        self.level = nn.Parameter(torch.zeros(channels, 1))
        nn.init.constant_(self.lin_t.weight, 1 / context)

    def forward(self, x):
        x = x.transpose(1, 2)
        x = x * (1 + self.level)
        trend = self.trend(x)
        season = x - trend
        y = self.lin_t(trend)
        y += self.lin_s(season)
        y[..., 0] += x[..., -1]
        return y.transpose(1, 2)


class WindowSet:
    def __init__(self, series, context, horizon):
        self.s, self.c, self.h = series, context, horizon

    def sample(self, n):
        starts = torch.randint(0, len(self.s) - self.c - self.h + 1, (n,))
        x = torch.stack([self.s[i:i + self.c] for i in starts])
        y = torch.stack([self.s[i + self.c:i + self.c + self.h] for i in starts])
        return x, y


def masked_mae(pred, target, quantile_mask=0.98):
    err = (pred - target).abs()
    with torch.no_grad():
        w = torch.ones_like(err)
        w[err > err.quantile(quantile_mask)] = 0.1
        w /= w.mean()
    return (err * w).mean()


def run(series, context=10, horizon=3, steps=2):
    data = Scaler().fit(series).transform_(series)
    data = WindowSet(forward_fill_(data), context, horizon)
    net = DecompLinear(context, horizon, series.shape[1])
    opt = torch.optim.Adam(net.parameters(), 1e-2)
    for _ in range(steps):
        x, y = data.sample(4)
        opt.zero_grad()
        masked_mae(net(x), y).backward()
        opt.step()


# --- driver ---
torch.manual_seed(54)
raw = torch.from_numpy(np.sin(np.arange(80).reshape(40, 2) / 3.0)).float()
raw[5:7, 0] = float("nan")
run(raw)
