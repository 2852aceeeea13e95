"""Sensor-to-load regression from memory-mapped style records: a loader with a reused numpy batch, grouped updates."""
from typing import Iterator, NamedTuple

import numpy as np
import torch
from torch import nn


class Batch(NamedTuple):
    x: torch.Tensor
    y: torch.Tensor


class RecordStore:
    """Flat int16 records as the logger writes them."""

    def __init__(self, n: int, channels: int, seed: int):
        rng = np.random.default_rng(seed)
        drift = np.cumsum(rng.standard_normal((n, channels)), 0)
        self.raw = np.clip(drift * 100, -32000, 32000).astype(np.int16)
        self.gain = rng.uniform(0.5, 2.0, channels).astype(np.float32) / 100

    def __len__(self) -> int:
        return len(self.raw)


class WindowLoader:
    """Shuffled windows, decoded into one batch array."""

    def __init__(self, store: RecordStore, window: int, batch: int, seed: int = 0):
        self.store, self.window, self.batch = store, window, batch
        self.rng = np.random.default_rng(seed)
        self.x = np.empty((batch, window, store.raw.shape[1]), np.float32)
        self.y = np.empty((batch, 1), np.float32)

    def _decode(self, row: int, start: int) -> None:
        chunk = self.store.raw[start:start + self.window + 1]
        np.multiply(chunk[:-1], self.store.gain, out=self.x[row])  # BUG silent
        self.y[row] = chunk[-1, 0] * self.store.gain[0] - self.x[row, -1, 0]

    def __iter__(self) -> Iterator[Batch]:
        starts = self.rng.permutation(len(self.store) - self.window - 1)
        for i in range(0, len(starts) - self.batch, self.batch):
            for row, start in enumerate(starts[i:i + self.batch]):
                self._decode(row, int(start))
            yield Batch(torch.from_numpy(self.x), torch.from_numpy(self.y.copy()))


class LoadNet(nn.Module):
    def __init__(self, channels: int, window: int, width: int = 16):
        super().__init__()
        self.lags = nn.Parameter(torch.randn(window) / window)
        self.mix = nn.Linear(channels, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.mix(x))
        return self.out(torch.einsum("btw,t->bw", h, self.lags))


class Grouped:
    """One update for a few batches, weighted by their difficulty relative to each other."""

    def __init__(self, net: nn.Module, group: int = 3, lr: float = 1e-3, temperature: float = 1.0):
        self.net, self.group, self.temperature = net, group, temperature
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.pending: list = []

    def feed(self, batch: Batch):
        self.pending.append(nn.functional.huber_loss(self.net(batch.x), batch.y))
        if len(self.pending) < self.group:
            return None
        losses = torch.stack(self.pending)
        weights = (losses.detach() / self.temperature).softmax(0)
        total = (weights * losses).sum()
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        self.pending.clear()
        return total.item()


# --- driver ---
torch.manual_seed(0)
store = RecordStore(120, 4, seed=1)
trainer = Grouped(LoadNet(4, 8))
for batch in WindowLoader(store, window=8, batch=8):
    done = trainer.feed(batch)
    if done is not None:
        print(round(done, 4))
