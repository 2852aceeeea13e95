"""Sparse-to-sparse training (RigL-like): masks are rewired by magnitude and gradient, moments follow the masks."""
import math
from typing import Dict, Iterable, Iterator, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class SparseMixin:
    weight: Tensor

    def init_mask(self, density: float) -> None:
        mask = torch.zeros(self.weight.numel())
        mask[torch.randperm(mask.numel())[: max(1, int(density * mask.numel()))]] = 1.0
        self.register_buffer("mask", mask.view_as(self.weight))
        self.dense_grad = None
        with torch.no_grad():
            self.weight.mul_(self.mask).div_(math.sqrt(density))

    def masked_weight(self) -> Tensor:
        w = self.weight * self.mask
        if self.training and w.requires_grad:
            w.register_hook(self._keep_dense)
        return w

    def _keep_dense(self, grad: Tensor) -> None:
        if self.dense_grad is None:
            self.dense_grad = grad.abs()
        else:
            self.dense_grad.mul_(0.7).add_(grad.abs())


class SparseLinear(SparseMixin, nn.Linear):
    def __init__(self, *args, density: float = 0.3, **kw):
        super().__init__(*args, **kw)
        self.init_mask(density)

    def forward(self, x):
        return F.linear(x, self.masked_weight(), self.bias)


class SparseConv2d(SparseMixin, nn.Conv2d):
    def __init__(self, *args, density: float = 0.3, **kw):
        super().__init__(*args, **kw)
        self.init_mask(density)

    def forward(self, x):
        return self._conv_forward(x, self.masked_weight(), self.bias)


class Rewirer:
    def __init__(self, model: nn.Module, opt: torch.optim.Optimizer, every: int, total: int, fraction: float = 0.3):
        self.layers = [m for m in model.modules() if isinstance(m, SparseMixin)]
        self.opt, self.every, self.total, self.fraction = opt, every, total, fraction

    def amount(self, step: int) -> float:
        return self.fraction / 2 * (1 + math.cos(math.pi * step / self.total))

    @torch.no_grad()
    def rewire(self, layer, fraction: float) -> int:
        alive = layer.mask.bool().flatten()
        k = min(int(fraction * alive.sum()), int((~alive).sum()))
        if k == 0:
            return 0
        flat_w, flat_m = layer.weight.view(-1), layer.mask.view(-1)
        size = flat_w.abs().masked_fill_(~alive, float("inf"))
        drop = size.topk(k, largest=False).indices
        demand = layer.dense_grad.flatten().masked_fill(alive, -1.0)
        grow = demand.topk(k).indices
        flat_m[drop] = 0.0
        flat_m[grow] = 1.0
        flat_w[drop] = 0.0
        flat_w[grow] = 0.0
        momentum = self.opt.state[layer.weight].get("momentum_buffer")
        if momentum is not None:
            momentum.mul_(layer.mask)
        return k

    def after_step(self, step: int) -> int:
        if step % self.every or step == 0:
            return 0
        moved = sum(self.rewire(layer, self.amount(step)) for layer in self.layers)
        for layer in self.layers:
            layer.dense_grad = None
        return moved


class SparseNet(nn.Module):
    def __init__(self, classes: int = 4, ch: int = 8):
        super().__init__()
        self.c1 = nn.Conv2d(3, ch, 3, 2, 1)
        self.c2 = SparseConv2d(ch, 2 * ch, 3, stride=2, padding=1, density=0.4)
        self.bn = nn.BatchNorm2d(2 * ch)
        self.f1, self.f2 = SparseLinear(2 * ch * 9, 16), nn.Linear(16, classes)

    def forward(self, x):
        x = F.relu_(self.c1(x))
        x = F.relu_(self.bn(self.c2(x)))
        return self.f2(F.relu_(self.f1(x.flatten(1))))


def forever(loader: Iterable) -> Iterator[Tuple[Tensor, Tensor]]:
    while True:
        yield from loader


def train(model: SparseNet, loader, steps: int) -> Dict[str, float]:
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    rewirer, moved = Rewirer(model, opt, every=2, total=steps), 0
    for step, (x, y) in zip(range(steps), forever(loader)):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        moved += rewirer.after_step(step)
    return {"loss": loss.item(), "moved": moved}


# --- driver ---
torch.manual_seed(58)
train(SparseNet(), [(torch.randn(8, 3, 12, 12), torch.randint(0, 4, (8,))) for _ in range(2)], steps=6)
