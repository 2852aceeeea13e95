"""Memory-lean training: every parameter is updated, and its gradient freed, during backward."""
from __future__ import annotations

from typing import Callable

import torch
import torch.nn as nn
import torch.nn.functional as F

Rule = Callable[[torch.Tensor, torch.Tensor, dict], None]


def sign_momentum(lr: float, beta: float = 0.9, decay: float = 0.0) -> Rule:
    def rule(p: torch.Tensor, g: torch.Tensor, state: dict) -> None:
        m = state.setdefault("m", torch.zeros_like(p))
        m.lerp_(g, 1 - beta)
        p.mul_(1 - lr * decay).sub_(m.sign(), alpha=lr)
    return rule


def adafactor_like(lr: float, beta: float = 0.99, eps: float = 1e-8) -> Rule:
    def rule(p: torch.Tensor, g: torch.Tensor, state: dict) -> None:
        sq = g.square().add_(eps)
        if p.dim() < 2:
            v = state.setdefault("v", torch.zeros_like(p)).lerp_(sq, 1 - beta)
        else:
            row = state.setdefault("row", torch.zeros(p.size(0), 1)).lerp_(sq.mean(1, keepdim=True), 1 - beta)
            col = state.setdefault("col", torch.zeros(1, p.size(1))).lerp_(sq.mean(0, keepdim=True), 1 - beta)
            v = row * col / row.mean()
        p.addcdiv_(g, v.sqrt_().add_(1e-6), value=-lr)
    return rule


class InBackwardOptimizer:
    """One rule per group of parameters, driven by post-accumulate hooks."""

    def __init__(self, pick: Callable[[str, nn.Parameter], Rule]):
        self.pick = pick
        self.state: dict[nn.Parameter, dict] = {}
        self.handles = []
        self.updates = 0

    def attach(self, model: nn.Module) -> "InBackwardOptimizer":
        for name, p in model.named_parameters():
            self.handles.append(p.register_post_accumulate_grad_hook(self._hook(self.pick(name, p))))
        return self

    def _hook(self, rule: Rule):
        @torch.no_grad()
        def update(p: torch.Tensor) -> None:
            rule(p, p.grad, self.state.setdefault(p, {}))
            p.grad = None
            self.updates += 1
        return update

    def detach(self) -> None:
        while self.handles:
            self.handles.pop().remove()


class ConvStem(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.conv = nn.Conv1d(4, width, 5, stride=2)
        self.norm = nn.GroupNorm(2, width)

    def forward(self, x):
        return F.gelu(self.norm(self.conv(x)))


class DNAClassifier(nn.Module):
    def __init__(self, width: int = 12, classes: int = 3):
        super().__init__()
        self.stem = ConvStem(width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, classes)

    def forward(self, onehot):
        h, _ = self.rnn(self.stem(onehot).transpose(1, 2))
        return self.head(h.mean(1))


def random_reads(n: int, length: int):
    bases = torch.randint(0, 4, (n, length))
    gc = ((bases == 1) | (bases == 2)).float().mean(1)
    label = torch.bucketize(gc, torch.tensor([0.45, 0.55]))
    return F.one_hot(bases, 4).float().transpose(1, 2), label


# --- driver ---
torch.manual_seed(4)
model = DNAClassifier()
opt = InBackwardOptimizer(lambda name, p: adafactor_like(1e-2) if p.dim() == 2 else sign_momentum(1e-3)).attach(model)
for _ in range(4):
    x, y = random_reads(12, 30)
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    print(loss.item(), opt.updates)
opt.detach()
