"""Electricity load forecasting with a TCN; predictions are logged in physical units."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Standardizer:
    def __init__(self, series):
        self.mean, self.std = series.mean(axis=0), series.std(axis=0) + 1e-6

    def transform(self, x):
        return (x - self.mean) / self.std

    def inverse(self, arr):
        arr *= self.std  # BUG silent
        return arr + self.mean


class CausalConv(nn.Module):
    def __init__(self, c_in, c_out, k, dilation):
        super().__init__()
        self.pad = (k - 1) * dilation
        self.conv = nn.Conv1d(c_in, c_out, k, dilation=dilation)

    def forward(self, x):
        return self.conv(F.pad(x, (self.pad, 0)))


class TCN(nn.Module):
    def __init__(self, n_series, horizon, ch=16, levels=3):
        super().__init__()
        self.n_series, self.horizon = n_series, horizon
        self.inp = nn.Conv1d(n_series, ch, 1)
        self.layers = nn.ModuleList([CausalConv(ch, ch, 3, 2 ** i) for i in range(levels)])
        self.head = nn.Linear(ch, n_series * horizon)

    def forward(self, x):
        h = self.inp(x.transpose(1, 2))
        for layer in self.layers:
            h = h + F.relu_(layer(h))
        return self.head(h[..., -1]).view(-1, self.horizon, self.n_series)


def windows(series, lookback, horizon, batch):
    starts = np.random.randint(0, len(series) - lookback - horizon, size=batch)
    x = np.stack([series[s:s + lookback] for s in starts])
    y = np.stack([series[s + lookback:s + lookback + horizon] for s in starts])
    return torch.from_numpy(x).float(), torch.from_numpy(y).float()


class UnitLogger:
    """Collects errors in the original units."""

    def __init__(self, scaler):
        self.scaler, self.rows = scaler, []

    def log(self, pred, target):
        p = self.scaler.inverse(pred.detach().cpu().numpy())
        t = target.numpy() * self.scaler.std + self.scaler.mean
        err = np.abs(p - t)
        self.rows.append({'mae': float(err.mean()), 'mape': float((err / np.abs(t).clip(1.0)).mean())})


class Forecaster:
    def __init__(self, series, lookback=24, horizon=6):
        self.scaler = Standardizer(series)
        self.series = self.scaler.transform(series)
        self.lookback, self.horizon = lookback, horizon
        self.model = TCN(series.shape[1], horizon)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.logger = UnitLogger(self.scaler)

    def train_step(self, batch=8):
        x, y = windows(self.series, self.lookback, self.horizon, batch)
        pred = self.model(x)
        loss = F.mse_loss(pred, y)
        self.logger.log(pred, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def synthetic_load(n=300, k=3):
    t = np.arange(n)[:, None]
    phase = np.linspace(0, 2, k)[None]
    base = 500 + 80 * np.sin(2 * np.pi * t / 24 + phase) + 20 * np.sin(2 * np.pi * t / 168)
    return (base + np.random.randn(n, k) * 5).astype(np.float32)


# --- driver ---
fc = Forecaster(synthetic_load())
print([fc.train_step() for _ in range(2)], fc.logger.rows)
