"""Wrapping an optimiser in Lookahead, averaging weights late in training, and recomputing BN statistics."""
import copy
from typing import Iterable, List

import torch
import torch.nn as nn
import torch.nn.functional as F


class Lookahead:
    def __init__(self, inner: torch.optim.Optimizer, k: int = 3, alpha: float = 0.5, reset_momentum: bool = True):
        self.inner, self.k, self.alpha, self.reset = inner, k, alpha, reset_momentum
        self.counter = 0
        self.slow: List[List[torch.Tensor]] = [[p.detach().clone() for p in g["params"]] for g in inner.param_groups]

    @property
    def param_groups(self):
        return self.inner.param_groups

    def zero_grad(self):
        self.inner.zero_grad()

    def step(self):
        self.inner.step()
        self.counter += 1
        if self.counter % self.k == 0:
            self.synchronise()

    @torch.no_grad()
    def synchronise(self):
        for group, slow in zip(self.inner.param_groups, self.slow):
            torch._foreach_lerp_(slow, group["params"], self.alpha)
            torch._foreach_copy_(group["params"], slow)
        if self.reset:
            for state in self.inner.state.values():
                if state.get("momentum_buffer") is not None:
                    state["momentum_buffer"].zero_()


class StochasticAverage:
    def __init__(self, model: nn.Module, start: int):
        self.model, self.start, self.n = model, start, 0
        self.mean = copy.deepcopy(model).requires_grad_(False)

    @torch.no_grad()
    def collect(self, step: int):
        if step < self.start:
            return
        self.n += 1
        for avg, p in zip(self.mean.parameters(), self.model.parameters()):
            avg += (p - avg) / self.n

    @torch.no_grad()
    def refresh_statistics(self, loader: Iterable):
        norms = [m for m in self.mean.modules() if isinstance(m, nn.BatchNorm2d)]
        for m in norms:
            m.reset_running_stats()
            m.momentum = None
        self.mean.train()
        for x, _ in loader:
            self.mean(x)
        return self.mean.eval()


class CyclicLR:
    def __init__(self, opt, high: float, low: float, period: int):
        self.opt, self.high, self.low, self.period, self.t = opt, high, low, period, 0

    def step(self):
        phase = (self.t % self.period) / max(1, self.period - 1)
        for group in self.opt.param_groups:
            group["lr"] = (1 - phase) * self.high + phase * self.low
        self.t += 1


def vgg(classes: int, plan=(8, "M", 16, "M")):
    layers, cin = [], 3
    for item in plan:
        if item == "M":
            layers.append(nn.MaxPool2d(2))
        else:
            layers += [nn.Conv2d(cin, item, 3, padding=1, bias=False), nn.BatchNorm2d(item), nn.ReLU(inplace=True)]
            cin = item
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.1, inplace=True), nn.Linear(cin, classes))


def train(model, loader, epochs):
    opt = Lookahead(torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9))
    schedule, swa = CyclicLR(opt, 0.1, 0.01, 4), StochasticAverage(model, start=2)
    step = 0
    for _ in range(epochs):
        for x, y in loader:
            schedule.step()
            opt.zero_grad()
            F.cross_entropy(model(x), y).backward()
            opt.step()
            swa.collect(step)
            step += 1
    return swa.refresh_statistics(loader)


# --- driver ---
torch.manual_seed(47)
loader = [(torch.randn(6, 3, 8, 8), torch.randint(0, 4, (6,))) for _ in range(3)]
final = train(vgg(4), loader, epochs=2)
final(loader[0][0])
