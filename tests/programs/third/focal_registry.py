"""Losses for long tailed classification, picked by name."""
from abc import ABC, abstractmethod
from typing import Callable, Dict, Type

import torch
import torch.nn.functional as F
from torch import Tensor, nn

LOSSES: Dict[str, Type["WeightedLoss"]] = {}


def register(name: str) -> Callable:
    def deco(cls):
        LOSSES[name] = cls
        return cls
    return deco


class WeightedLoss(nn.Module, ABC):
    def __init__(self, class_counts: Tensor, beta: float = 0.999):
        super().__init__()
        eff = 1.0 - torch.pow(beta, class_counts.float())
        w = (1.0 - beta) / eff
        self.register_buffer("weight", w / w.sum() * len(w))

    @abstractmethod
    def per_sample(self, logits: Tensor, target: Tensor) -> Tensor:
        ...

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        return (self.weight[target] * self.per_sample(logits, target)).mean()


@register("ce")
class PlainCE(WeightedLoss):
    def per_sample(self, logits, target):
        return F.cross_entropy(logits, target, reduction="none")


@register("focal")
class Focal(WeightedLoss):
    gamma = 2.0
    eps = 1e-4

    def per_sample(self, logits, target):
        ce = F.cross_entropy(logits, target, reduction="none")
        pt = torch.exp(-ce)
        pt.clamp_(self.eps, 1 - self.eps)  # BUG
        return (1 - pt).pow(self.gamma) * ce


@register("ldam")
class LDAM(WeightedLoss):
    def __init__(self, class_counts, beta=0.999, max_margin=0.5):
        super().__init__(class_counts, beta)
        m = class_counts.float().pow(-0.25)
        self.register_buffer("margin", m * (max_margin / m.max()))

    def per_sample(self, logits, target):
        onehot = F.one_hot(target, logits.shape[1]).to(logits.dtype)
        return F.cross_entropy(logits - onehot * self.margin, target, reduction="none")


def build_loss(name: str, counts: Tensor, **kw) -> WeightedLoss:
    if name not in LOSSES:
        raise KeyError(f"unknown loss {name!r}, have {sorted(LOSSES)}")
    return LOSSES[name](counts, **kw)


def fit(model: nn.Module, criterion: nn.Module, batches, lr: float = 0.1):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for x, y in batches:
        opt.zero_grad()
        criterion(model(x), y).backward()
        opt.step()


# --- driver ---
torch.manual_seed(4)
clf = nn.Linear(5, 4)
criterion = build_loss("focal", torch.tensor([100, 40, 10, 2]))
fit(clf, criterion, [(torch.randn(6, 5), torch.randint(0, 4, (6,))) for _ in range(2)])
