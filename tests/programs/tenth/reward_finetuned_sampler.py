"""Fine-tuning a denoiser through its own deterministic sampler against a differentiable reward (last K steps)."""
import math
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


@dataclass(frozen=True)
class Plan:
    steps: int = 6
    grad_steps: int = 2
    guidance: float = 1.5


def alpha_bar(t: Tensor) -> Tensor:
    return torch.cos((t * 0.99 + 0.008) / 1.008 * math.pi / 2).square_()


class LowRank(nn.Module):
    """Adapter around a frozen linear map."""

    def __init__(self, base: nn.Linear, rank: int = 2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, base.in_features) / rank)
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        with torch.no_grad():
            self.b.normal_(std=1e-2)

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + x @ self.a.T @ self.b.T


class Denoiser(nn.Module):
    def __init__(self, dim: int = 2, hidden: int = 32, labels: int = 3):
        super().__init__()
        self.label = nn.Embedding(labels + 1, hidden)
        self.null = labels
        self.l1, self.l2, self.l3 = nn.Linear(dim, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, dim)
        self.clock = nn.Linear(2, hidden)

    def forward(self, x: Tensor, t: Tensor, y: Tensor) -> Tensor:
        angle = 2 * math.pi * t
        h = self.l1(x)
        h += self.label(y)
        h += self.clock(torch.stack([angle.sin(), angle.cos()]))
        return self.l3(F.silu(self.l2(F.silu(h))))


def add_adapters(net: Denoiser) -> Denoiser:
    net.requires_grad_(False)
    for name in ("l1", "l2"):
        setattr(net, name, LowRank(getattr(net, name)))
    return net


class DeterministicSampler:
    def __init__(self, net: Denoiser, plan: Plan):
        self.net, self.plan = net, plan
        self.times = torch.linspace(1, 0, plan.steps + 1)

    def guided(self, x: Tensor, t: Tensor, y: Tensor) -> Tensor:
        cond = self.net(x, t, y)
        free = self.net(x, t, torch.full_like(y, self.net.null))
        return free + self.plan.guidance * (cond - free)

    def move(self, x: Tensor, eps: Tensor, now: Tensor, nxt: Tensor) -> Tensor:
        a, b = alpha_bar(now), alpha_bar(nxt)
        scale = (b / a).sqrt()
        return x.mul_(scale).add_(eps * ((1 - b).sqrt() - scale * (1 - a).sqrt()))  # BUG

    def confine(self, x: Tensor, radius: float = 4.0) -> Tensor:
        return x * (radius / x.norm(dim=1, keepdim=True)).clamp(max=1.0)

    def run(self, y: Tensor, dim: int = 2) -> Tensor:
        x = torch.randn(len(y), dim)
        first = self.plan.steps - self.plan.grad_steps
        for i in range(self.plan.steps):
            with torch.set_grad_enabled(i >= first):
                eps = self.guided(x, self.times[i], y)
                x = self.move(x, eps, self.times[i], self.times[i + 1])
                x = self.confine(x)
        return x


def ring_reward(x: Tensor, y: Tensor) -> Tensor:
    angle = y * (2 * math.pi / 3)
    goal = torch.stack([angle.cos(), angle.sin()], 1)
    return -(x - goal).square().sum(1)


def finetune(net: Denoiser, reward: Callable[[Tensor, Tensor], Tensor], plan: Plan, iterations: int):
    sampler = DeterministicSampler(net, plan)
    trainable = [p for p in net.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(trainable, lr=1e-3)
    for _ in range(iterations):
        y = torch.randint(0, 3, (16,))
        loss = -reward(sampler.run(y), y).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(trainable, 1.0)
        opt.step()


# --- driver ---
torch.manual_seed(43)
finetune(add_adapters(Denoiser()), ring_reward, Plan(), iterations=2)
