"""Forecasting sensor series with a small TCN."""
from typing import Iterator, Tuple

import numpy as np
import torch
from torch import nn


class WindowLoader:
    def __init__(self, series: np.ndarray, window: int, batch: int, seed: int = 0):
        self.series = series.astype(np.float32)
        self.window, self.batch = window, batch
        self.rng = np.random.default_rng(seed)
        self._x = np.empty((batch, series.shape[1], window), dtype=np.float32)
        self._y = np.empty((batch, series.shape[1]), dtype=np.float32)

    def fill(self) -> None:
        starts = self.rng.integers(0, len(self.series) - self.window - 1, size=self.batch)
        for row, s in enumerate(starts):
            self._x[row] = self.series[s:s + self.window].T  # BUG silent
            self._y[row] = self.series[s + self.window]

    def take(self, n: int) -> Iterator[Tuple[torch.Tensor, torch.Tensor]]:
        for _ in range(n):
            self.fill()
            yield torch.from_numpy(self._x), torch.from_numpy(self._y).clone()


class Residual(nn.Module):
    def __init__(self, ch: int, dilation: int):
        super().__init__()
        self.pad = 2 * dilation
        self.conv = nn.Conv1d(ch, ch, 3, dilation=dilation)
        self.norm = nn.BatchNorm1d(ch)

    def forward(self, x):
        y = self.conv(nn.functional.pad(x, (self.pad, 0)))
        y = nn.functional.relu_(self.norm(y))
        return y + x


class TCN(nn.Module):
    def __init__(self, n_series: int, ch: int = 8, dilations=(1, 2)):
        super().__init__()
        self.inp = nn.Conv1d(n_series, ch, 1)
        self.body = nn.Sequential(*[Residual(ch, d) for d in dilations])
        self.out = nn.Linear(ch, n_series)

    def forward(self, x):
        return self.out(self.body(self.inp(x))[..., -1])


class MultiTaskObjective:
    def __init__(self, accumulate: int):
        self.accumulate = accumulate

    def __call__(self, model, loader: WindowLoader) -> torch.Tensor:
        terms = [nn.functional.l1_loss(model(x), y) for x, y in loader.take(self.accumulate)]
        return torch.stack(terms).mean()


def toy_series(n: int = 200, k: int = 3) -> np.ndarray:
    t = np.arange(n)[:, None]
    out = np.sin(t * np.array([0.05, 0.11, 0.23])[:k])
    out += np.random.default_rng(1).normal(scale=0.1, size=out.shape)
    out -= out.mean(0)
    return out


def train(model: nn.Module, loader: WindowLoader, steps: int, accumulate: int = 3) -> list:
    objective = MultiTaskObjective(accumulate)
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    history = []
    for _ in range(steps):
        opt.zero_grad()
        loss = objective(model, loader)
        loss.backward()
        opt.step()
        history.append(loss.item())
    return history


# --- driver ---
torch.manual_seed(0)
train(TCN(3), WindowLoader(toy_series(), window=12, batch=4), steps=1)
