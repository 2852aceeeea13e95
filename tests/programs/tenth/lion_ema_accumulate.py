"""Lion optimiser, gradient accumulation and an exponential average of the weights."""
import copy
from typing import Callable, Iterable, Iterator

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-4, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self, closure: "Callable | None" = None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            b1, b2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                m = self.state[p].setdefault("momentum", torch.zeros_like(p))
                p.mul_(1 - group["lr"] * group["weight_decay"])
                direction = m.mul(b1).add_(p.grad, alpha=1 - b1).sign_()
                p.add_(direction, alpha=-group["lr"])
                m.lerp_(p.grad, 1 - b2)
        return loss


class WeightAverage:
    def __init__(self, model: nn.Module, half_life: float = 4.0):
        self.shadow = copy.deepcopy(model).eval().requires_grad_(False)
        self.decay = 0.5 ** (1 / half_life)
        self.updates = 0

    @torch.no_grad()
    def update(self, model: nn.Module):
        self.updates += 1
        decay = min(self.decay, self.updates / (self.updates + 1))
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - decay)
        for s, b in zip(self.shadow.buffers(), model.buffers()):
            s.copy_(b)


def micro_batches(x: torch.Tensor, y: torch.Tensor, size: int) -> Iterator:
    yield from zip(x.split(size), y.split(size))


class MixerBlock(nn.Module):
    def __init__(self, tokens: int, dim: int):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token = nn.Sequential(nn.Linear(tokens, 2 * tokens), nn.GELU(), nn.Linear(2 * tokens, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.token(self.n1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channel(self.n2(x))


class Mixer(nn.Module):
    def __init__(self, classes=4, dim=16, patch=4, side=16, depth=2):
        super().__init__()
        self.embed = nn.Conv2d(3, dim, patch, patch)
        self.blocks = nn.Sequential(*(MixerBlock((side // patch) ** 2, dim) for _ in range(depth)))
        self.out = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, classes))

    def forward(self, x):
        return self.out(self.blocks(self.embed(x).flatten(2).transpose(1, 2)).mean(1))


def run(model: nn.Module, data: Iterable, micro: int = 4, max_norm: float = 1.0):
    opt, avg = Lion(model.parameters(), lr=3e-4, weight_decay=0.1), WeightAverage(model)
    for x, y in data:
        opt.zero_grad()
        meter = torch.zeros(())
        for xb, yb in micro_batches(x, y, micro):
            loss = F.cross_entropy(model(xb), yb) * (len(xb) / len(x))
            loss.backward()
            meter += loss.detach()
        norm = torch.stack([p.grad.norm() for p in model.parameters()]).norm()
        if norm > max_norm:
            for p in model.parameters():
                p.grad.mul_(max_norm / norm)
        opt.step()
        avg.update(model)
    return avg.shadow, meter.item()


# --- driver ---
torch.manual_seed(15)
batches = [(torch.randn(10, 3, 16, 16), torch.randint(0, 4, (10,))) for _ in range(3)]
averaged, last = run(Mixer(), batches)
averaged(batches[0][0])
