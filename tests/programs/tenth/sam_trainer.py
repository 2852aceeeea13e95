"""Sharpness-aware minimisation wrapped around any base optimiser, with frozen batch statistics on the second pass."""
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.modules.batchnorm import _BatchNorm


class SAM:
    def __init__(self, params, base_cls, rho=0.05, adaptive=False, **kw):
        self.params = [p for p in params if p.requires_grad]
        self.base = base_cls(self.params, **kw)
        self.rho, self.adaptive = rho, adaptive
        self._moves = {}

    @torch.no_grad()
    def ascend(self):
        scale = [p.abs() if self.adaptive else 1.0 for p in self.params]
        norm = torch.stack([(s * p.grad).norm() for s, p in zip(scale, self.params)]).norm()
        for s, p in zip(scale, self.params):
            move = p.grad.clone()
            if self.adaptive:
                move.mul_(s).mul_(s)
            move.mul_(self.rho / (norm + 1e-12))
            p.add_(move)
            self._moves[p] = move

    @torch.no_grad()
    def descend(self):
        for p, move in self._moves.items():
            p.sub_(move)
        self._moves.clear()
        self.base.step()

    def zero_grad(self):
        self.base.zero_grad(set_to_none=False)


@contextmanager
def frozen_bn_stats(model):
    saved = {}
    for m in model.modules():
        if isinstance(m, _BatchNorm):
            saved[m], m.momentum = m.momentum, 0.0
    try:
        yield
    finally:
        for m, momentum in saved.items():
            m.momentum = momentum


class ResidualUnit(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.c1, self.b1 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)
        self.c2, self.b2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.BatchNorm2d(ch)

    def forward(self, x):
        y = F.relu(self.b1(self.c1(x)), inplace=True)
        y = self.b2(self.c2(y))
        y += x
        return F.relu(y, inplace=True)


def small_resnet(classes=4, ch=8):
    return nn.Sequential(nn.Conv2d(3, ch, 3, padding=1), ResidualUnit(ch), nn.MaxPool2d(2), ResidualUnit(ch),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ch, classes))


def train_epoch(model, sam, loader):
    total = 0.0
    for x, y in loader:
        sam.zero_grad()
        loss = F.cross_entropy(model(x), y, label_smoothing=0.1)
        loss.backward()
        sam.ascend()
        sam.zero_grad()
        with frozen_bn_stats(model):
            F.cross_entropy(model(x), y, label_smoothing=0.1).backward()
        sam.descend()
        total += loss.item()
    return total


# --- driver ---
torch.manual_seed(7)
net = small_resnet()
sam = SAM(net.parameters(), torch.optim.SGD, adaptive=True, lr=0.05, momentum=0.9)
loader = [(torch.randn(8, 3, 8, 8), torch.randint(0, 4, (8,))) for _ in range(3)]
train_epoch(net, sam, loader)
