"""What several of the models are built of."""

from __future__ import annotations

import torch
from torch import nn

ACTIVATIONS = {"silu": nn.SiLU, "gelu": nn.GELU, "mish": nn.Mish}


def activation(name: str) -> nn.Module:
    return ACTIVATIONS[name]()


def drop_path(x: torch.Tensor, rate: float, training: bool) -> torch.Tensor:
    if rate == 0.0 or not training:
        return x
    keep = 1.0 - rate
    shape = (x.shape[0],) + (1,) * (x.ndim - 1)
    mask = x.new_empty(shape).bernoulli_(keep)
    scaled = mask / keep
    out = x * scaled
    return out


class DropPath(nn.Module):
    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return drop_path(x, self.rate, self.training)


class SqueezeExcite(nn.Module):
    def __init__(self, width: int, gate: type[nn.Module] = nn.Sigmoid) -> None:
        super().__init__()
        self.reduce = nn.Conv2d(width, max(width // 4, 1), 1)
        self.act = nn.SiLU()
        self.expand = nn.Conv2d(max(width // 4, 1), width, 1)
        self.gate = gate()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pooled = x.mean((2, 3), keepdim=True)
        pooled = self.reduce(pooled)
        pooled = self.act(pooled)
        pooled = self.expand(pooled)
        weights = self.gate(pooled)
        return x * weights


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        variance = x.pow(2).mean(-1, keepdim=True)
        x = x * torch.rsqrt(variance + self.eps)
        return self.weight * x
