from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class ForecastConfig:
    context: int = 8
    horizon: int = 3
    channels: int = 2
    hidden: int = 16
    teacher_forcing: float = 0.0


class Scaler:
    def fit(self, series):
        self.mean = series.mean(dim=1, keepdim=True)
        self.std = series.std(dim=1, keepdim=True)
        self.std.clamp_(min=1e-4)
        return self

    def transform(self, x):
        return (x - self.mean) / self.std

    def inverse(self, x):
        return x * self.std + self.mean


class MixerBlock(nn.Module):
    def __init__(self, length, channels, hidden):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(length, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, length))
        self.chan = nn.Linear(channels, channels)

    def forward(self, x):
        x = x + self.chan(x)
        return x + self.time(x.transpose(1, 2)).transpose(1, 2)


class OneStepModel(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.blocks = nn.Sequential(*[MixerBlock(cfg.context, cfg.channels, cfg.hidden) for _ in range(2)])
        self.head = nn.Linear(cfg.context * cfg.channels, cfg.channels)

    def forward(self, window):
        return self.head(self.blocks(window).flatten(1))


class RingWindow:
    """Fixed-size context; the oldest position is recycled for the newest value."""

    def __init__(self, context):
        self.data = context.clone()
        self.cursor = 0

    @property
    def length(self):
        return self.data.shape[1]

    def ordered(self):
        return self.data

    def push(self, value):
        self.data[:, self.cursor] = value  # BUG
        self.cursor = (self.cursor + 1) % self.length


class Forecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.model = OneStepModel(cfg)

    def forward(self, context, future=None):
        ring = RingWindow(context)
        preds = []
        for k in range(self.cfg.horizon):
            pred = self.model(ring.ordered())
            preds.append(pred)
            if future is not None and torch.rand(()) < self.cfg.teacher_forcing:
                ring.push(future[:, k])
            else:
                ring.push(pred)
        return torch.stack(preds, dim=1)


def quantile_loss(pred, target, q=0.5):
    err = target - pred
    return torch.maximum(q * err, (q - 1) * err).mean()


def train(model, series, cfg, steps=1):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    context, future = series[:, : cfg.context], series[:, cfg.context :]
    scaler = Scaler().fit(context)
    for _ in range(steps):
        opt.zero_grad()
        pred = model(scaler.transform(context), scaler.transform(future))
        loss = quantile_loss(pred, scaler.transform(future))
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
cfg = ForecastConfig()
train(Forecaster(cfg), torch.randn(4, cfg.context + cfg.horizon, cfg.channels), cfg)
