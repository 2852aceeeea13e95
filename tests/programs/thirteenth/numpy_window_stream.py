"""Forecasting on sliding windows cut by numpy from a long multivariate series."""
import numpy as np
import torch
import torch.nn as nn


class SeriesStore:
    def __init__(self, length: int, channels: int, seed: int):
        rng = np.random.default_rng(seed)
        t = np.arange(length)[:, None]
        period = rng.uniform(8, 40, channels)
        self.values = (np.sin(2 * np.pi * t / period) + 0.1 * rng.standard_normal((length, channels))).astype(np.float32)
        self.rng = rng

    def __len__(self):
        return len(self.values)


class WindowBatcher:
    def __init__(self, store: SeriesStore, batch: int, context: int, horizon: int):
        self.store, self.context, self.horizon = store, context, horizon
        c = store.values.shape[1]
        self.x = np.empty((batch, context, c), dtype=np.float32)
        self.xt = torch.from_numpy(self.x)

    def _starts(self):
        return self.store.rng.integers(0, len(self.store) - self.context - self.horizon, len(self.x))

    def next(self):
        starts = self._starts()
        src = self.store.values
        for row, s in enumerate(starts):
            self.x[row] = src[s:s + self.context]  # BUG silent
        y = np.stack([src[s + self.context:s + self.context + self.horizon] for s in starts])
        return self.xt, torch.from_numpy(y)


class MixerForecaster(nn.Module):
    def __init__(self, context, horizon, channels, hidden=24):
        super().__init__()
        self.time = nn.Linear(context, hidden)
        self.out = nn.Linear(hidden, horizon)
        self.chan = nn.Sequential(nn.Linear(channels, channels * 2), nn.GELU(), nn.Linear(channels * 2, channels))
        self.skip = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        base = x[:, -1:]
        h = torch.relu(self.time(x.transpose(1, 2)))
        y = self.out(h).transpose(1, 2)
        return y + self.chan(y) + self.skip * base


def quantile_loss(pred, target, qs=(0.1, 0.5, 0.9)):
    e = target - pred
    return sum(torch.maximum(q * e, (q - 1) * e).mean() for q in qs)


class MicroBatched:
    """One optimiser step per `k` micro-batches, with the losses joined by a soft maximum."""

    def __init__(self, model, batcher, k, lr=1e-2):
        self.model, self.batcher, self.k = model, batcher, k
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def micro_losses(self):
        for _ in range(self.k):
            x, y = self.batcher.next()
            yield quantile_loss(self.model(x), y)

    def step(self):
        losses = torch.stack(list(self.micro_losses()))
        total = torch.logsumexp(losses * 4, 0) / 4
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return total.item()


# --- driver ---
torch.manual_seed(0)
store = SeriesStore(400, 3, seed=1)
runner = MicroBatched(MixerForecaster(16, 4, 3), WindowBatcher(store, 8, 16, 4), k=3)
for i in range(4):
    print(i, runner.step())
