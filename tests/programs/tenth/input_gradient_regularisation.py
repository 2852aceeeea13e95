"""Classifier trained with a penalty on its input gradients; sensitivity maps are accumulated for the report."""
from abc import ABC, abstractmethod
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Observer(ABC):
    @abstractmethod
    def observe(self, grads: Tensor, labels: Tensor) -> None: ...


class SensitivityMap(Observer):
    """Average normalised magnitude of the input gradient per class."""

    def __init__(self, classes: int, shape):
        self.total = torch.zeros(classes, *shape)
        self.count = torch.zeros(classes)

    def observe(self, grads, labels):
        maps = grads.detach()
        peak = maps.abs().amax(dim=(1, 2, 3), keepdim=True).clamp_(min=1e-12)
        maps = maps.abs_().div_(peak)  # BUG
        self.total.index_add_(0, labels, maps)
        self.count.index_add_(0, labels, torch.ones(len(labels)))

    def result(self) -> Tensor:
        return self.total / self.count.clamp(min=1).view(-1, 1, 1, 1)


class NormHistogram(Observer):
    def __init__(self, bins: int = 10, top: float = 1.0):
        self.hist, self.top = torch.zeros(bins), top

    def observe(self, grads, labels):
        norms = grads.detach().flatten(1).norm(dim=1)
        self.hist += torch.histc(norms, len(self.hist), 0, self.top)


class GradientPenalty:
    def __init__(self, weight: float, observers: List[Observer]):
        self.weight, self.observers = weight, observers

    def __call__(self, per_sample: Tensor, x: Tensor, y: Tensor) -> Tensor:
        (g,) = torch.autograd.grad(per_sample.sum(), x, create_graph=True)
        penalty = g.square().flatten(1).sum(1).mean()
        for obs in self.observers:
            obs.observe(g, y)
        return self.weight * penalty


class SmoothNet(nn.Module):
    def __init__(self, classes: int, ch: int = 8):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, ch, 3, 2, 1), nn.Softplus(beta=5),
                                      nn.Conv2d(ch, 2 * ch, 3, 2, 1), nn.Softplus(beta=5))
        self.fc = nn.Linear(2 * ch, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.fc(self.features(x).mean((2, 3)))


class RobustTrainer:
    def __init__(self, model: nn.Module, penalty: GradientPenalty, lr: float = 1e-2):
        self.model, self.penalty = model, penalty
        self.opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def step(self, x: Tensor, y: Tensor) -> float:
        x = x.clone().requires_grad_()
        ce = F.cross_entropy(self.model(x), y, reduction="none")
        loss = ce.mean() + self.penalty(ce, x, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def bars(n: int, side: int = 8):
    y = torch.randint(0, 2, (n,))
    x = torch.zeros(n, 1, side, side)
    for i, label in enumerate(y.tolist()):
        k = int(torch.randint(side, ()))
        if label:
            x[i, 0, k] = 1
        else:
            x[i, 0, :, k] = 1
    return x.add_(torch.randn_like(x), alpha=0.1), y


# --- driver ---
torch.manual_seed(41)
maps = SensitivityMap(2, (1, 8, 8))
trainer = RobustTrainer(SmoothNet(2), GradientPenalty(0.1, [NormHistogram(), maps]))
for _ in range(2):
    trainer.step(*bars(12))
maps.result()
