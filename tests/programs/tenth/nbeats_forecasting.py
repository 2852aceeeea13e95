"""Doubly residual forecasting stacks (trend, seasonality, generic) with scaled losses."""
import math
from typing import Dict, Tuple, Type

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor

BASES: Dict[str, Type[nn.Module]] = {}


def basis(name):
    def deco(cls):
        BASES[name] = cls
        return cls
    return deco


@basis("trend")
class TrendBasis(nn.Module):
    def __init__(self, back: int, fore: int, degree: int = 2):
        super().__init__()
        grid = torch.arange(back + fore).float().div_(back).sub_(1)
        powers = torch.stack([grid ** k for k in range(degree + 1)])
        self.register_buffer("back", powers[:, :back])
        self.register_buffer("fore", powers[:, back:])
        self.size = degree + 1

    def forward(self, theta: Tensor) -> Tuple[Tensor, Tensor]:
        return theta @ self.back, theta @ self.fore


@basis("season")
class SeasonBasis(nn.Module):
    def __init__(self, back: int, fore: int, harmonics: int = 3):
        super().__init__()
        t = torch.arange(back + fore).float().mul_(2 * math.pi / back)
        waves = torch.cat([torch.stack([torch.sin(k * t), torch.cos(k * t)]) for k in range(1, harmonics + 1)])
        self.register_buffer("back", waves[:, :back])
        self.register_buffer("fore", waves[:, back:])
        self.size = 2 * harmonics

    def forward(self, theta: Tensor) -> Tuple[Tensor, Tensor]:
        return theta @ self.back, theta @ self.fore


@basis("generic")
class GenericBasis(nn.Module):
    def __init__(self, back: int, fore: int, size: int = 8):
        super().__init__()
        self.b, self.f = nn.Linear(size, back), nn.Linear(size, fore)
        self.size = size

    def forward(self, theta: Tensor) -> Tuple[Tensor, Tensor]:
        return self.b(theta), self.f(theta)


class Block(nn.Module):
    def __init__(self, kind: str, back: int, fore: int, width: int):
        super().__init__()
        self.basis = BASES[kind](back, fore)
        self.net = nn.Sequential(nn.Linear(back, width), nn.ReLU(inplace=True), nn.Linear(width, width),
                                 nn.ReLU(inplace=True), nn.Linear(width, self.basis.size))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        return self.basis(self.net(x))


class NBeats(nn.Module):
    def __init__(self, kinds, back: int, fore: int, width: int = 24):
        super().__init__()
        self.blocks = nn.ModuleList(Block(k, back, fore, width) for k in kinds)
        self.fore = fore

    def forward(self, x: Tensor) -> Tensor:
        level = x.abs().mean(1, keepdim=True).clamp_(min=1e-3)
        residual = x / level
        forecast = x.new_zeros(len(x), self.fore)
        for block in self.blocks:
            back, fore = block(residual)
            residual = residual - back
            forecast += fore
        return forecast.mul_(level)


class MASE(nn.Module):
    def __init__(self, period: int):
        super().__init__()
        self.period = period

    def forward(self, pred: Tensor, y: Tensor, history: Tensor) -> Tensor:
        naive = (history[:, self.period:] - history[:, : -self.period]).abs_().mean(1)
        return ((pred - y).abs().mean(1) / naive.clamp_(min=1e-2)).mean()


def synthetic(n: int, length: int) -> Tensor:
    t = torch.arange(length)
    series = torch.rand(n, 1) * t / length + torch.sin(2 * math.pi * t / 12 + torch.rand(n, 1) * 6)
    series += 0.1 * torch.randn(n, length)
    return series.add_(2)


def train(model: NBeats, series: Tensor, back: int, steps: int) -> Tensor:
    opt, loss_fn = torch.optim.Adam(model.parameters(), lr=1e-3), MASE(12)
    track = torch.full((steps,), float("nan"))
    for i in range(steps):
        start = int(torch.randint(0, series.shape[1] - back - model.fore + 1, ()))
        window = series[:, start:start + back + model.fore]
        loss = loss_fn(model(window[:, :back]), window[:, back:], window[:, :back])
        opt.zero_grad()
        loss.backward()
        opt.step()
        track[i] = loss.item()
    return track


# --- driver ---
torch.manual_seed(54)
train(NBeats(["trend", "season", "generic"], 24, 6), synthetic(16, 60), 24, steps=4)
