"""Dynamic sparse training: drop by magnitude, grow by gradient."""
import math
from typing import Dict, Iterator, Tuple

import torch
from torch import nn


class Masked:
    """Binary mask over one parameter; the gradient and the weight are both kept on the support."""

    def __init__(self, p: nn.Parameter, density: float):
        self.p = p
        self.mask = torch.zeros_like(p)
        k = max(1, int(density * p.numel()))
        self.mask.view(-1)[torch.randperm(p.numel())[:k]] = 1
        self.dense_grad = torch.zeros_like(p)
        p.register_hook(self._grad_hook)
        self.enforce()

    def _grad_hook(self, g):
        self.dense_grad.mul_(0.9).add_(g, alpha=0.1)
        return g * self.mask

    @torch.no_grad()
    def enforce(self):
        self.p.mul_(self.mask)

    @torch.no_grad()
    def regrow(self, frac: float):
        active = self.mask.bool().view(-1)
        k = int(frac * int(active.sum()))
        if k == 0:
            return 0
        w = self.p.abs().view(-1).masked_fill(~active, float("inf"))
        drop = w.topk(k, largest=False).indices
        g = self.dense_grad.abs().view(-1)
        g.masked_fill_(active, -1)
        grow = g.topk(k).indices
        flat = self.mask.view(-1)
        flat[drop] = 0
        flat[grow] = 1
        self.p.view(-1)[grow] = 0
        self.enforce()
        return k


class RigL:
    def __init__(self, model, density=0.3, frac=0.3, every=1, total=10):
        self.layers: Dict[str, Masked] = dict(self._collect(model, density))
        self.frac, self.every, self.total, self.t = frac, every, total, 0

    @staticmethod
    def _collect(model, density) -> Iterator[Tuple[str, Masked]]:
        for n, p in model.named_parameters():
            if p.dim() > 1:
                yield n, Masked(p, density)

    def after_step(self):
        self.t += 1
        for m in self.layers.values():
            m.enforce()
        if self.t % self.every == 0 and self.t < self.total:
            f = self.frac / 2 * (1 + math.cos(math.pi * self.t / self.total))
            return sum(m.regrow(f) for m in self.layers.values())
        return 0

    def density(self):
        on = sum(float(m.mask.sum()) for m in self.layers.values())
        return on / sum(m.mask.numel() for m in self.layers.values())


class LeNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            nn.Conv2d(4, 8, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2),
        )
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(32, 16), nn.ReLU(inplace=True), nn.Linear(16, classes))

    def forward(self, x):
        return self.fc(self.conv(x))


def train(model, data, **kw):
    sparse = RigL(model, **kw)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    moved = []
    for x, y in data:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        moved.append(sparse.after_step())
    return sparse.density(), moved


# --- driver ---
torch.manual_seed(0)
train(LeNet(), [(torch.randn(4, 1, 8, 8), torch.randint(4, (4,))) for _ in range(2)])
