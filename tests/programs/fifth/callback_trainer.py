"""Event-driven trainer: EMA evaluation with restore, gradient centralisation, weight clipping, SWA."""
from __future__ import annotations
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Iterable
import torch
from torch import nn


@dataclass
class State:
    model: nn.Module
    opt: torch.optim.Optimizer
    step: int = 0
    loss: torch.Tensor = field(default_factory=lambda: torch.zeros(()))
    metrics: dict = field(default_factory=dict)


class Callback:
    order = 0

    def start(self, s: State): pass
    def after_backward(self, s: State): pass
    def after_step(self, s: State): pass
    def evaluate(self, s: State): pass


class GradCentralize(Callback):
    order = 1

    def after_backward(self, s):
        for p in s.model.parameters():
            if p.grad is not None and p.ndim > 1:
                p.grad -= p.grad.mean(1, keepdim=True)


class GradNoise(Callback):
    order = 2

    def __init__(self, eta=0.01):
        self.eta = eta

    def after_backward(self, s):
        sigma = (self.eta / (1 + s.step) ** 0.55) ** 0.5
        for p in s.model.parameters():
            p.grad.add_(torch.randn_like(p.grad), alpha=sigma)


class WeightClip(Callback):
    def __init__(self, bound):
        self.bound = bound

    @torch.no_grad()
    def after_step(self, s):
        for m in s.model.modules():
            if isinstance(m, nn.Linear):
                m.weight.clamp_(-self.bound, self.bound)
                m.bias.mul_(0.999)


class EMA(Callback):
    order = 5

    def __init__(self, decay=0.9):
        self.decay = decay

    def start(self, s):
        self.avg = [p.detach().clone() for p in s.model.parameters()]

    @torch.no_grad()
    def after_step(self, s):
        for a, p in zip(self.avg, s.model.parameters()):
            a.mul_(self.decay).add_(p, alpha=1 - self.decay)

    @contextmanager
    def applied(self, model):
        saved = [p.detach().clone() for p in model.parameters()]
        with torch.no_grad():
            for p, a in zip(model.parameters(), self.avg):
                p.copy_(a)
        try:
            yield
        finally:
            for p, b in zip(model.parameters(), saved):
                p.data.copy_(b)


class ConfusionMatrix(Callback):
    def __init__(self, n, data, ema: EMA):
        self.m, self.data, self.ema = torch.zeros(n, n), data, ema

    @torch.no_grad()
    def evaluate(self, s):
        self.m.zero_()
        x, y = self.data
        with self.ema.applied(s.model):
            pred = s.model(x).argmax(1)
        self.m.index_put_((y, pred), torch.ones(len(y)), accumulate=True)
        self.m /= self.m.sum(1, keepdim=True).clamp_(min=1)
        s.metrics['recall'] = self.m.diagonal().mean().item()


class Trainer:
    def __init__(self, model, opt, loss_fn, callbacks: Iterable[Callback]):
        self.state, self.loss_fn = State(model, opt), loss_fn
        self.callbacks = sorted(callbacks, key=lambda c: c.order)

    def fire(self, name):
        for c in self.callbacks:
            getattr(c, name)(self.state)

    def fit(self, loader, eval_every=1):
        s = self.state
        self.fire('start')
        for x, y in loader:
            logits = s.model(x)
            logits -= logits.detach().amax(1, keepdim=True)
            loss = self.loss_fn(logits, y)
            s.opt.zero_grad()
            loss.backward()
            self.fire('after_backward')
            s.opt.step()
            s.loss.mul_(0.9).add_(loss.detach(), alpha=0.1)
            s.step += 1
            self.fire('after_step')
            if s.step % eval_every == 0:
                self.fire('evaluate')
        return s


# --- driver ---
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(inplace=True), nn.Linear(12, 3))
data = [(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(2)]
ema = EMA()
cbs = [WeightClip(0.5), ema, GradNoise(), GradCentralize(), ConfusionMatrix(3, data[0], ema)]
Trainer(net, torch.optim.SGD(net.parameters(), lr=0.1), nn.CrossEntropyLoss(), cbs).fit(data)
