"""A U-Net that is told the time step, with skip connections that wait in a list."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn


def time_embedding(steps: torch.Tensor, width: int) -> torch.Tensor:
    half = width // 2
    frequencies = torch.exp(-math.log(10000) * torch.arange(half) / half)
    angles = steps[:, None].float() * frequencies[None]
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


class ResnetBlock(nn.Module):
    def __init__(self, width_in: int, width_out: int, time_width: int) -> None:
        super().__init__()
        self.norm1 = nn.GroupNorm(4, width_in)
        self.conv1 = nn.Conv2d(width_in, width_out, 3, padding=1)
        self.time_proj = nn.Linear(time_width, width_out * 2)
        self.norm2 = nn.GroupNorm(4, width_out)
        self.dropout = nn.Dropout(0.1)
        self.conv2 = nn.Conv2d(width_out, width_out, 3, padding=1)
        self.nonlinearity = nn.SiLU()
        self.shortcut = nn.Conv2d(width_in, width_out, 1) if width_in != width_out else None

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        hidden = self.norm1(x)
        hidden = self.nonlinearity(hidden)
        hidden = self.conv1(hidden)
        time = self.time_proj(self.nonlinearity(time))[:, :, None, None]
        scale, shift = time.chunk(2, dim=1)
        hidden = self.norm2(hidden) * (1 + scale) + shift
        hidden = self.nonlinearity(hidden)
        hidden = self.conv2(self.dropout(hidden))
        if self.shortcut is not None:
            x = self.shortcut(x)
        return (x + hidden) / math.sqrt(2)


class Downsample(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, stride=2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.pad(x, (0, 1, 0, 1))
        x = self.conv(x)
        return x


class UNet(nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.width = width
        self.time_mlp = nn.Sequential(nn.Linear(width, width * 4), nn.SiLU(), nn.Linear(width * 4, width * 4))
        self.conv_in = nn.Conv2d(3, width, 3, padding=1)
        self.down = nn.ModuleList(
            [ResnetBlock(width, width, width * 4), ResnetBlock(width, width * 2, width * 4)]
        )
        self.shrink = nn.ModuleList([Downsample(width), nn.Identity()])
        self.middle = ResnetBlock(width * 2, width * 2, width * 4)
        self.up = nn.ModuleList(
            [ResnetBlock(width * 4, width, width * 4), ResnetBlock(width * 2, width, width * 4)]
        )
        self.norm_out = nn.GroupNorm(4, width)
        self.conv_out = nn.Conv2d(width, 3, 3, padding=1)

    def forward(self, sample: torch.Tensor) -> torch.Tensor:
        steps = torch.full((sample.shape[0],), 3)
        emb = time_embedding(steps, self.width)
        emb = self.time_mlp(emb)
        sample = self.conv_in(sample)
        skips = []
        for block, shrink in zip(self.down, self.shrink):
            sample = block(sample, emb)
            skips.append(sample)
            sample = shrink(sample)
        sample = self.middle(sample, emb)
        for block in self.up:
            skip = skips.pop()
            if skip.shape[-1] != sample.shape[-1]:
                sample = F.interpolate(sample, size=skip.shape[-2:])
            sample = torch.cat([sample, skip], dim=1)
            sample = block(sample, emb)
        sample = F.silu(self.norm_out(sample))
        sample = self.conv_out(sample)
        return sample
