"""A residual network for pictures, its blocks chosen by name."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from .parts import DropPath, SqueezeExcite, activation


class Block(nn.Module):
    def __init__(self, width: int, act: str = "silu", drop: float = 0.0) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width * 2, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(width * 2)
        self.act = activation(act)
        self.excite = SqueezeExcite(width * 2)
        self.conv2 = nn.Conv2d(width * 2, width, 1)
        self.norm2 = nn.GroupNorm(2, width)
        self.drop_path = DropPath(drop) if drop > 0 else nn.Identity()
        self.gamma = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shortcut = x
        x = self.conv1(x)
        x = self.act(self.norm1(x))
        x = self.excite(x)
        x = self.norm2(self.conv2(x))
        x = x * self.gamma.reshape(1, -1, 1, 1)
        x = self.drop_path(x)
        return shortcut + x


class ResidualNet(nn.Module):
    def __init__(self, width: int = 8, depths: tuple[int, ...] = (1, 2), classes: int = 4) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU())
        self.stages = nn.ModuleList(
            [nn.Sequential(*[Block(width, drop=0.1 * i) for i in range(depth)]) for depth in depths]
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(width, classes)

    def forward_features(self, x: torch.Tensor) -> torch.Tensor:
        x = self.stem(x)
        outputs = []
        for stage in self.stages:
            x = stage(x)
            outputs.append(x)
        mixed = F.gelu(outputs[0]) + outputs[-1]
        scale = torch.sigmoid(mixed)
        return mixed * scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.forward_features(x)
        x = self.pool(x)
        x = x.flatten(1)
        return self.head(x)
