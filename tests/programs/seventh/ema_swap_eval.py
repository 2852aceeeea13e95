"""Weight averaging callbacks: an exponential average, an equal-weight average, swap for evaluation."""
from contextlib import contextmanager
from typing import Dict, List

import torch
from torch import nn


class Callback:
    def on_fit_start(self, loop): ...
    def on_step_end(self, loop): ...
    def on_epoch_end(self, loop): ...


class EMA(Callback):
    def __init__(self, decay=0.95):
        self.decay, self.updates = decay, 0
        self.shadow: Dict[str, torch.Tensor] = {}

    def on_fit_start(self, loop):
        self.shadow = {k: v.detach().clone() for k, v in loop.model.state_dict().items()}

    @torch.no_grad()
    def on_step_end(self, loop):
        self.updates += 1
        d = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for k, v in loop.model.state_dict().items():
            s = self.shadow[k]
            if s.dtype.is_floating_point:
                s.mul_(d).add_(v, alpha=1 - d)
            else:
                s.copy_(v)

    @contextmanager
    def swapped(self, model):
        backup = {k: v.clone() for k, v in model.state_dict().items()}
        self._load(model, self.shadow)
        try:
            yield model
        finally:
            self._load(model, backup)

    @staticmethod
    @torch.no_grad()
    def _load(model, state):
        for k, v in model.state_dict().items():
            v.copy_(state[k])


class SWA(Callback):
    def __init__(self, start):
        self.start, self.n, self.avg = start, 0, None

    def on_epoch_end(self, loop):
        if loop.epoch < self.start:
            return
        flat = nn.utils.parameters_to_vector(loop.model.parameters()).detach()
        if self.avg is None:
            self.avg = torch.zeros_like(flat)
        self.n += 1
        self.avg += (flat - self.avg) / self.n


class Evaluate(Callback):
    def __init__(self, ema: EMA, data):
        self.ema, self.data, self.scores = ema, data, []

    def on_epoch_end(self, loop):
        x, y = self.data
        with self.ema.swapped(loop.model) as m:
            m.eval()
            with torch.no_grad():
                self.scores.append((m(x).argmax(-1) == y).float().mean().item())
            m.train()


class Loop:
    def __init__(self, model, callbacks: List[Callback], lr=0.1):
        self.model, self.callbacks = model, callbacks
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.epoch = 0

    def emit(self, event):
        for cb in self.callbacks:
            getattr(cb, event)(self)

    def fit(self, batches, epochs):
        self.emit("on_fit_start")
        for self.epoch in range(epochs):
            for x, y in batches:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.emit("on_step_end")
            self.emit("on_epoch_end")


def build(d, c):
    return nn.Sequential(nn.Linear(d, 12), nn.BatchNorm1d(12), nn.ReLU(inplace=True), nn.Linear(12, c))


# --- driver ---
torch.manual_seed(0)
x, y = torch.randn(10, 5), torch.randint(3, (10,))
ema = EMA()
Loop(build(5, 3), [ema, SWA(0), Evaluate(ema, (x, y))]).fit([(x[:5], y[:5]), (x[5:], y[5:])], 2)
