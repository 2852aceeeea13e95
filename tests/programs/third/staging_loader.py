"""Batch staging for a sensor stream and gradient accumulation on top."""
import itertools
from collections import deque

import numpy as np
import torch
from torch import nn


class StreamSource:
    def __init__(self, channels, window, seed=0):
        self.rng = np.random.default_rng(seed)
        self.channels, self.window = channels, window

    def __iter__(self):
        while True:
            phase = self.rng.uniform(0, 6.28, size=(self.channels, 1))
            t = np.linspace(0, 1, self.window)[None]
            clean = np.sin(6.28 * t + phase)
            yield (clean + 0.1 * self.rng.standard_normal(clean.shape)).astype(np.float32), float(phase.mean())


class Stager:
    """Collates into one preallocated block of memory."""

    def __init__(self, source, batch):
        self.source = iter(source)
        self.batch = batch
        self.x = torch.empty(batch, source.channels, source.window)
        self.y = torch.empty(batch)
        self.seen = 0

    def __iter__(self):
        return self

    def __next__(self):
        items = list(itertools.islice(self.source, self.batch))
        self.x.copy_(torch.from_numpy(np.stack([a for a, _ in items])))  # BUG
        self.y = torch.tensor([b for _, b in items])
        self.seen += len(items)
        return self.x, self.y


class PhaseNet(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv1d(channels, 8, 5, padding=2)
        self.act = nn.PReLU()
        self.fc = nn.Linear(8, 1)

    def forward(self, x):
        return self.fc(self.act(self.conv(x)).mean(-1)).squeeze(-1)


class Averager:
    def __init__(self, n=20):
        self.values = deque(maxlen=n)

    def add(self, v):
        self.values.append(float(v))

    @property
    def mean(self):
        return sum(self.values) / max(1, len(self.values))


def accumulate(model, stager, micro, opt, meter):
    total = 0.0
    for x, y in itertools.islice(stager, micro):
        total = total + nn.functional.smooth_l1_loss(model(x), y) / micro
    opt.zero_grad()
    total.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    meter.add(total.detach())


# --- driver ---
torch.manual_seed(7)
source = StreamSource(2, 16)
net = PhaseNet(2)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
accumulate(net, Stager(source, 4), 2, opt, Averager())
