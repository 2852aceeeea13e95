"""Quantisation aware training: observers, fake quantisation, pruning masks, calibration."""
from __future__ import annotations
import abc
from typing import Dict, Type
import torch
import torch.nn as nn
import torch.nn.functional as F


class Observer(nn.Module, abc.ABC):
    kinds: Dict[str, Type['Observer']] = {}

    def __init_subclass__(cls, kind: str, **kw):
        super().__init_subclass__(**kw)
        Observer.kinds[kind] = cls

    def __init__(self, bits: int = 8):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1
        self.register_buffer('scale', torch.ones(()))
        self.enabled = True

    @abc.abstractmethod
    def observe(self, x: torch.Tensor) -> None: ...

    def forward(self, x):
        if self.training and self.enabled:
            with torch.no_grad():
                self.observe(x)
        return x


class MinMax(Observer, kind='minmax'):
    def __init__(self, bits=8):
        super().__init__(bits)
        self.register_buffer('peak', torch.zeros(()))

    def observe(self, x):
        torch.maximum(self.peak, x.abs().max(), out=self.peak)
        self.scale.copy_(self.peak).div_(self.qmax).clamp_(min=1e-8)


class Histogram(Observer, kind='hist'):
    def __init__(self, bits=8, bins=32, q=0.99):
        super().__init__(bits)
        self.q = q
        self.register_buffer('hist', torch.zeros(bins))

    def observe(self, x):
        a = x.abs().flatten()
        top = a.max().clamp_(min=1e-8)
        self.hist.mul_(0.5).add_(torch.histc(a, len(self.hist), 0, float(top)))
        cdf = self.hist.cumsum(0)
        cdf /= cdf[-1].clone()
        k = int((cdf < self.q).sum()) + 1
        self.scale.fill_(float(top) * k / len(self.hist) / self.qmax)


class FakeQuant(nn.Module):
    def __init__(self, kind, bits):
        super().__init__()
        self.obs = Observer.kinds[kind](bits)

    def forward(self, x):
        x = self.obs(x)
        s = self.obs.scale.clone()
        with torch.no_grad():
            q = (x / s).round_().clamp_(-self.obs.qmax, self.obs.qmax).mul_(s)
            q -= x
        return x + q


class QConv(nn.Conv2d):
    def __init__(self, *a, bits=4, **k):
        super().__init__(*a, **k)
        self.wq, self.aq = FakeQuant('minmax', bits), FakeQuant('hist', bits)
        self.register_buffer('keep', torch.ones_like(self.weight))

    def forward(self, x):
        return self._conv_forward(self.aq(x), self.wq(self.weight * self.keep.clone()), self.bias)

    @torch.no_grad()
    def prune(self, amount):
        k = int(amount * self.weight.numel())
        idx = self.weight.abs().flatten().argsort()[:k]
        self.keep.fill_(1).view(-1)[idx] = 0
        self.weight.mul_(self.keep)


class Net(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.c1, self.c2 = QConv(1, 6, 3, padding=1), QConv(6, 6, 3, padding=1)
        self.fc = nn.Linear(6, classes)

    def forward(self, x):
        h = F.relu_(self.c1(x))
        y = self.c2(h)
        y += h
        return self.fc(F.relu_(y).mean((2, 3)))


class QATSession:
    def __init__(self, net, lr=0.01, sparsity=0.3):
        self.net, self.sparsity = net, sparsity
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)

    @property
    def convs(self):
        return [m for m in self.net.modules() if isinstance(m, QConv)]

    @torch.no_grad()
    def calibrate(self, xs):
        for x in xs:
            self.net(x)

    def train(self, batches):
        for x, y in batches:
            loss = F.cross_entropy(self.net(x), y)
            self.opt.zero_grad()
            loss.backward()
            for c in self.convs:
                c.weight.grad.mul_(c.keep)
            self.opt.step()
            for c in self.convs:
                c.prune(self.sparsity)
        return loss.item()


# --- driver ---
torch.manual_seed(0)
sess = QATSession(Net())
data = [(torch.randn(4, 1, 6, 6), torch.randint(0, 3, (4,))) for _ in range(2)]
sess.calibrate([x for x, _ in data])
sess.train(data)
