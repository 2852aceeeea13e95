"""Keyword spotting from raw audio: learnable filterbank, SpecAugment, depthwise-separable net."""
import math
import random
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class AugmentSpec:
    freq_masks: int = 1
    freq_width: int = 3
    time_masks: int = 2
    time_width: int = 4


class GaborFilterbank(nn.Module):
    """Band-pass filters with trainable centre frequency and bandwidth."""

    def __init__(self, filters=12, kernel=33, hop=16):
        super().__init__()
        self.kernel, self.hop = kernel, hop
        self.centre = nn.Parameter(torch.linspace(0.05, 0.45, filters))
        self.width = nn.Parameter(torch.full((filters,), 5.0))
        self.register_buffer("t", torch.arange(kernel).float() - kernel // 2)

    def kernels(self):
        envelope = torch.exp(-0.5 * (self.t / self.width.unsqueeze(1)).square())
        phase = 2 * math.pi * self.centre.unsqueeze(1) * self.t
        return envelope * phase.cos(), envelope * phase.sin()

    def forward(self, audio):
        audio = audio.unsqueeze(1)
        re, im = (F.conv1d(audio, k.unsqueeze(1), stride=self.hop, padding=self.kernel // 2) for k in self.kernels())
        return torch.log1p(re.square() + im.square())


class SpecAugment(nn.Module):
    """Zeroes random stripes, drawn anew for every utterance."""

    def __init__(self, spec, seed=0):
        super().__init__()
        self.spec = spec
        self.rng = random.Random(seed)

    def _span(self, size, widest):
        w = self.rng.randint(1, widest)
        lo = self.rng.randint(0, size - w)
        return slice(lo, lo + w)

    def _stripes(self, bands, frames):
        everything = slice(None)
        for _ in range(self.spec.freq_masks):
            yield self._span(bands, self.spec.freq_width), everything
        for _ in range(self.spec.time_masks):
            yield everything, self._span(frames, self.spec.time_width)

    def forward(self, features):
        if self.training:
            for utterance in features.unbind(0):
                for stripe in self._stripes(*utterance.shape):
                    utterance[stripe] = 0.0  # BUG
        return features


class Separable(nn.Module):
    def __init__(self, c_in, c_out, k=5):
        super().__init__()
        self.depth = nn.Conv1d(c_in, c_in, k, padding=k // 2, groups=c_in)
        self.point = nn.Conv1d(c_in, c_out, 1)
        self.norm = nn.BatchNorm1d(c_out)

    def forward(self, x):
        return F.relu(self.norm(self.point(self.depth(x))), inplace=True)


class Spotter(nn.Module):
    def __init__(self, words, filters=12, width=16):
        super().__init__()
        self.front = GaborFilterbank(filters)
        self.augment = SpecAugment(AugmentSpec())
        self.body = nn.Sequential(Separable(filters, width), Separable(width, width))
        self.out = nn.Linear(width, words)

    def forward(self, audio):
        x = self.augment(self.front(audio))
        return self.out(self.body(x).mean(-1))


def tones(n, words, length=400):
    label = torch.randint(0, words, (n,))
    freq = 0.05 + 0.1 * label.float().unsqueeze(1)
    t = torch.arange(length).float()
    return torch.sin(2 * math.pi * freq * t) + 0.2 * torch.randn(n, length), label


# --- driver ---
torch.manual_seed(5)
model = Spotter(words=4)
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
for _ in range(3):
    audio, label = tones(8, 4)
    loss = F.cross_entropy(model(audio), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
