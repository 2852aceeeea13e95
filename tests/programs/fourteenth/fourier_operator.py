"""Fourier neural operator for the 1-D heat/Burgers-like smoothing map."""
import math
from typing import Optional

import torch
import torch.nn as nn


class SpectralConv1d(nn.Module):
    def __init__(self, channels: int, modes: int):
        super().__init__()
        self.modes = modes
        scale = 1 / channels
        self.weight = nn.Parameter(scale * torch.randn(channels, channels, modes, dtype=torch.cfloat))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spectrum = torch.fft.rfft(x)
        kept = min(self.modes, spectrum.size(-1))
        out = torch.zeros_like(spectrum)
        out[..., :kept] = torch.einsum("bim,iom->bom", spectrum[..., :kept], self.weight[..., :kept])
        return torch.fft.irfft(out, n=x.size(-1))


class OperatorBlock(nn.Module):
    def __init__(self, channels: int, modes: int, last: bool):
        super().__init__()
        self.spectral = SpectralConv1d(channels, modes)
        self.local = nn.Conv1d(channels, channels, 1)
        self.last = last

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.spectral(x)
        y += self.local(x)
        return y if self.last else nn.functional.gelu(y)


class FNO1d(nn.Module):
    def __init__(self, channels: int = 12, modes: int = 6, depth: int = 3):
        super().__init__()
        self.lift = nn.Conv1d(2, channels, 1)
        self.blocks = nn.ModuleList(OperatorBlock(channels, modes, i == depth - 1) for i in range(depth))
        self.drop = nn.Sequential(nn.Conv1d(channels, 2 * channels, 1), nn.GELU(), nn.Conv1d(2 * channels, 1, 1))

    @staticmethod
    def with_grid(u: torch.Tensor) -> torch.Tensor:
        field = u.new_empty(u.size(0), 2, u.size(1))
        field[:, 0] = u
        field[:, 1] = torch.linspace(0, 1, u.size(1))
        return field

    def forward(self, u: torch.Tensor) -> torch.Tensor:
        x = self.lift(self.with_grid(u))
        for block in self.blocks:
            x = block(x)
        return self.drop(x).squeeze(1)


class GaussianScaler:
    """Pointwise standardisation with statistics gathered over batches."""

    def __init__(self, points: int):
        self.n, self.mean, self.m2 = 0, torch.zeros(points), torch.zeros(points)

    def gather(self, u: torch.Tensor) -> None:
        for row in u:
            self.n += 1
            delta = row - self.mean
            self.mean += delta / self.n
            self.m2 += delta * (row - self.mean)

    @property
    def std(self) -> torch.Tensor:
        return (self.m2 / max(self.n - 1, 1)).sqrt_().add_(1e-4)

    def encode(self, u: torch.Tensor) -> torch.Tensor:
        return (u - self.mean) / self.std

    def decode(self, u: torch.Tensor) -> torch.Tensor:
        return u * self.std + self.mean


def heat_pairs(n: int, points: int, time: float = 0.002, generator: Optional[torch.Generator] = None):
    k = torch.arange(points // 2 + 1)
    coeff = torch.randn(n, k.numel(), dtype=torch.cfloat, generator=generator) / (1 + k).float()
    coeff[:, 0] = 0
    damp = torch.exp(-time * (2 * math.pi * k).square())
    return (torch.fft.irfft(c, n=points) * points ** 0.5 for c in (coeff, coeff * damp))


def relative_l2(pred: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return ((pred - target).norm(dim=1) / target.norm(dim=1)).mean()


# --- driver ---
torch.manual_seed(8)
model, x_scale, y_scale = FNO1d(), GaussianScaler(32), GaussianScaler(32)
a, u = heat_pairs(24, 32)
x_scale.gather(a)
y_scale.gather(u)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-4)
for idx in torch.randperm(24).split(8):
    loss = relative_l2(y_scale.decode(model(x_scale.encode(a[idx]))), u[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
