"""Downscaling of temperature anomalies with a learned spectral filter bank."""

from __future__ import annotations
from abc import ABC, abstractmethod
import torch
from torch import nn


class SpectralOp(nn.Module, ABC):
    """Something which acts on the half spectrum of a field."""

    @abstractmethod
    def act(self, spec: torch.Tensor) -> torch.Tensor: ...

    def forward(self, spec):
        return self.act(spec)


class Gain(SpectralOp):
    def __init__(self, channels: int, height: int, half: int):
        super().__init__()
        self.w = nn.Parameter(torch.randn(channels, height, half, dtype=torch.cfloat) * 0.05)

    def act(self, spec):
        return spec * self.w


class Dealias(SpectralOp):
    """Removes the upper third of the spectrum, the 2/3 rule."""

    def __init__(self, height: int, half: int):
        super().__init__()
        ky = torch.fft.fftfreq(height).abs()
        kx = torch.linspace(0, 0.5, half)
        cut = (ky[:, None] > 1 / 3) | (kx[None, :] > 1 / 3)
        self.register_buffer("cut", cut)

    def act(self, spec):
        return spec.masked_fill_(self.cut, 0)  # BUG


class FilterBank(nn.Module):
    def __init__(self, channels: int, size: int, n: int = 3):
        super().__init__()
        half = size // 2 + 1
        self.gains = nn.ModuleList([Gain(channels, size, half) for _ in range(n)])
        self.dealias = Dealias(size, half)
        self.mix = nn.Parameter(torch.ones(n) / n)

    def forward(self, field: torch.Tensor) -> torch.Tensor:
        spec = torch.fft.rfft2(field)
        acc = torch.zeros_like(spec)
        for weight, gain in zip(self.mix, self.gains):
            acc = acc + weight * gain(spec)
        smooth = torch.fft.irfft2(self.dealias(spec), s=field.shape[-2:])
        return torch.fft.irfft2(acc, s=field.shape[-2:]) + smooth


class Downscaler(nn.Module):
    def __init__(self, variables: int = 3, width: int = 6, size: int = 12):
        super().__init__()
        self.stem = nn.Conv2d(variables, width, 3, padding=1, padding_mode="circular")
        self.bank = FilterBank(width, size)
        self.norm = nn.GroupNorm(2, width)
        self.head = nn.Sequential(nn.SiLU(), nn.Conv2d(width, 4, 1), nn.PixelShuffle(2))

    def forward(self, x):
        return self.head(self.norm(self.bank(self.stem(x)))).squeeze(1)


def latitude_weights(n: int) -> torch.Tensor:
    w = torch.cos(torch.linspace(-1.4, 1.4, n))
    w /= w.mean()
    return w[:, None]


def train_step(model, optimizer, coarse, fine):
    weights = latitude_weights(fine.shape[-2])
    loss = (weights * (model(coarse) - fine).square()).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return float(loss)


# --- driver ---
torch.manual_seed(4)
net = Downscaler()
sgd = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for _ in range(3):
    print(train_step(net, sgd, torch.randn(4, 3, 12, 12), torch.randn(4, 24, 24)))
