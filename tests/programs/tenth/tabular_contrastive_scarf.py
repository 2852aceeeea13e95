"""Contrastive pretraining for tabular rows: features are corrupted by draws from their marginals."""
from typing import Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Table:
    def __init__(self, values: np.ndarray):
        self.values = values.astype(np.float32)
        self.values -= self.values.mean(0)
        self.values /= self.values.std(0) + 1e-6

    def __len__(self):
        return len(self.values)

    @property
    def width(self):
        return self.values.shape[1]

    def rows(self, index: np.ndarray) -> np.ndarray:
        return self.values[index]


class MarginalCorruptor:
    """Builds corrupted batches in one preallocated array."""

    def __init__(self, table: Table, batch: int, rate: float, seed: int = 0):
        self.table, self.rate = table, rate
        self.rng = np.random.default_rng(seed)
        self.scratch = np.empty((batch, table.width), dtype=np.float32)
        self.view = torch.from_numpy(self.scratch)

    def donors(self, shape) -> np.ndarray:
        pick = self.rng.integers(0, len(self.table), size=shape)
        return np.take_along_axis(self.table.values, pick, axis=0)

    def __call__(self, rows: np.ndarray) -> torch.Tensor:
        replace = self.rng.random(rows.shape) < self.rate
        self.scratch[...] = np.where(replace, self.donors(rows.shape), rows)  # BUG silent
        return self.view


class BatchStream:
    def __init__(self, table: Table, batch: int, seed: int = 0):
        self.table, self.batch = table, batch
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        order = self.rng.permutation(len(self.table))
        for start in range(0, len(order) - self.batch + 1, self.batch):
            yield self.table.rows(order[start:start + self.batch])


class Encoder(nn.Module):
    def __init__(self, width: int, hidden: int = 32, dim: int = 16):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(width, hidden), nn.BatchNorm1d(hidden), nn.ReLU(inplace=True),
                                  nn.Linear(hidden, hidden), nn.ReLU(inplace=True))
        self.head = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.head(self.body(x)), dim=-1)


def info_nce(a: torch.Tensor, b: torch.Tensor, temperature: float = 0.5) -> torch.Tensor:
    z = torch.cat([a, b])
    sim = z @ z.T
    sim.div_(temperature)
    sim.fill_diagonal_(float("-inf"))
    n = len(a)
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)


class Pretraining:
    def __init__(self, table: Table, batch: int = 16, rate: float = 0.4):
        self.stream = BatchStream(table, batch)
        self.corrupt = MarginalCorruptor(table, batch, rate)
        self.encoder = Encoder(table.width)
        self.opt = torch.optim.Adam(self.encoder.parameters(), lr=1e-3)

    def embed_pair(self, rows: np.ndarray) -> Tuple[torch.Tensor, torch.Tensor]:
        return self.encoder(self.corrupt(rows)), self.encoder(self.corrupt(rows))

    def epoch(self) -> float:
        total = 0.0
        for rows in self.stream:
            loss = info_nce(*self.embed_pair(rows))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
        return total


# --- driver ---
torch.manual_seed(45)
Pretraining(Table(np.random.default_rng(45).normal(size=(48, 10)))).epoch()
