"""Training with a loss spike guard that goes back to the last good weights."""
import math
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F


class Snapshot:
    def __init__(self, model):
        self.model = model
        self.best = math.inf
        self.state = {}
        self.take(math.inf)

    def take(self, value):
        self.best = value
        self.state = {k: v.detach().clone() for k, v in self.model.state_dict().items()}

    @torch.no_grad()
    def restore(self):
        for name, p in self.model.named_parameters():
            p.copy_(self.state[name])  # BUG


class SpikeGuard:
    def __init__(self, model, factor=1.5, patience=0):
        self.snap = Snapshot(model)
        self.factor = factor
        self.patience = patience
        self.bad = 0
        self.events = []

    def check(self, step, value):
        if value > self.factor * self.snap.best:
            self.bad += 1
            if self.bad > self.patience:
                self.snap.restore()
                self.events.append(step)
                self.bad = 0
            return False
        if value < self.snap.best:
            self.snap.take(value)
        return True


class Regressor(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        dims = [cfg.inp] + [cfg.width] * cfg.depth
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        self.out = nn.Linear(cfg.width, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.out(x)


def loop(cfg, model, batches):
    guard = SpikeGuard(model, cfg.factor)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    for step, (x, y) in enumerate(batches):
        loss = F.mse_loss(model(x), y)
        guard.check(step, loss.item())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return guard.events


def synth(n, inp, scales):
    for s in scales:
        x = torch.randn(n, inp)
        yield x, s * x.sum(1, keepdim=True)


# --- driver ---
torch.manual_seed(8)
cfg = SimpleNamespace(inp=3, width=8, depth=2, lr=0.01, factor=1.5)
model = Regressor(cfg)
loop(cfg, model, synth(10, 3, [1.0, 9.0]))
