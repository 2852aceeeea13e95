"""Minimal trainer with lifecycle callbacks, EMA weights and a progress monitor."""
from __future__ import annotations
import copy
from typing import Any, List, Optional
import torch
from torch import nn


class Callback:
    def on_fit_start(self, tr: 'Trainer'): ...
    def on_loss(self, tr: 'Trainer', loss: torch.Tensor): ...
    def on_step_end(self, tr: 'Trainer'): ...
    def on_fit_end(self, tr: 'Trainer'): ...


class EMAWeights(Callback):
    def __init__(self, decay: float = 0.9):
        self.decay = decay
        self.shadow: dict[str, torch.Tensor] = {}
        self.live: dict[str, torch.Tensor] = {}

    def on_fit_start(self, tr):
        self.shadow = {k: v.detach().clone() for k, v in tr.model.named_parameters()}

    def on_step_end(self, tr):
        for k, v in tr.model.named_parameters():
            self.shadow[k].lerp_(v.detach(), 1 - self.decay)

    def load(self, model: nn.Module):
        for k, p in model.named_parameters():
            self.live[k] = p.detach().clone()
            p.data.copy_(self.shadow[k])  # BUG silent

    def restore(self, model: nn.Module):
        with torch.no_grad():
            for k, p in model.named_parameters():
                p.copy_(self.live.pop(k)) if k in self.live else None


class ProbeMonitor(Callback):
    """Scores the averaged model on a probe batch as the losses come in."""

    def __init__(self, ema: EMAWeights, x, y):
        self.ema, self.x, self.y = ema, x, y
        self.scores: List[float] = []

    def on_loss(self, tr, loss):
        self.ema.load(tr.model)
        with torch.no_grad():
            self.scores.append(tr.criterion(tr.model(self.x), self.y).item())

    def on_step_end(self, tr):
        self.ema.restore(tr.model)


class Trainer:
    def __init__(self, model, criterion, opt, callbacks: Optional[List[Callback]] = None, **hp: Any):
        self.model, self.criterion, self.opt = model, criterion, opt
        self.callbacks = callbacks or []
        self.hp = hp
        self.global_step = 0

    def emit(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(self, *args)

    def fit(self, batches):
        self.emit('on_fit_start')
        for x, y in batches:
            loss = self.criterion(self.model(x), y)
            self.emit('on_loss', loss)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.global_step += 1
            self.emit('on_step_end')
        self.emit('on_fit_end')


# --- driver ---
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 12), nn.Tanh(), nn.Linear(12, 12), nn.Tanh(), nn.Linear(12, 1))
ema = EMAWeights()
opt = torch.optim.SGD(net.parameters(), lr=0.5)
data = [(torch.randn(8, 5), torch.randn(8, 1)) for _ in range(2)]
Trainer(net, nn.MSELoss(), opt, [ema, ProbeMonitor(ema, *data[0])]).fit(data)
