"""Keyword spotting on raw audio: a trainable Gabor filterbank, compression, SpecAugment, GRU."""
import math
import random

import torch
from torch import nn
from torch.nn import functional as F


class GaborBank(nn.Module):
    def __init__(self, n_filters=12, width=33, hop=8):
        super().__init__()
        self.width, self.hop = width, hop
        self.center = nn.Parameter(torch.linspace(0.05, 0.45, n_filters))
        self.spread = nn.Parameter(torch.full((n_filters,), 6.0))
        self.register_buffer("t", torch.arange(width).float() - width // 2)

    def kernels(self):
        env = torch.exp(-0.5 * (self.t / self.spread[:, None]) ** 2)
        ang = 2 * math.pi * self.center[:, None] * self.t
        return torch.cat([env * ang.cos(), env * ang.sin()])[:, None]

    def forward(self, wav):
        z = F.conv1d(wav[:, None], self.kernels(), stride=self.hop, padding=self.width // 2)
        re, im = z.chunk(2, 1)
        return re.square() + im.square()


class RootCompression(nn.Module):
    def __init__(self, floor=1e-4):
        super().__init__()
        self.floor = floor

    def forward(self, power):
        return torch.sqrt(power + self.floor)


class SpecAugment:
    def __init__(self, freq=3, time=5, n=2, seed=0):
        self.freq, self.time, self.n = freq, time, n
        self.rng = random.Random(seed)

    def span(self, limit, total):
        w = self.rng.randint(1, limit)
        s = self.rng.randint(0, total - w)
        return slice(s, s + w)

    def __call__(self, spec):
        _, f, t = spec.shape
        for _ in range(self.n):
            spec[:, self.span(self.freq, f), self.span(self.time, t)] = 0.0  # BUG
        return spec


class KeywordSpotter(nn.Module):
    def __init__(self, classes, augment=None):
        super().__init__()
        self.front = nn.Sequential(GaborBank(), RootCompression())
        self.augment = augment
        self.norm = nn.InstanceNorm1d(12, affine=True)
        self.rnn = nn.GRU(12, 24, batch_first=True)
        self.fc = nn.Linear(24, classes)

    def features(self, wav):
        spec = self.front(wav)
        if self.training and self.augment is not None:
            spec = self.augment(spec)
        return self.norm(spec)

    def forward(self, wav):
        out, _ = self.rnn(self.features(wav).transpose(1, 2))
        return self.fc(out.mean(1))


def chirps(n, length, classes):
    y = torch.randint(0, classes, (n,))
    t = torch.arange(length).float()
    f = 0.05 + 0.1 * y[:, None]
    wav = torch.sin(2 * math.pi * f * t + torch.rand(n, 1) * 6)
    wav.add_(torch.randn_like(wav), alpha=0.2)
    return wav / wav.abs().amax(1, keepdim=True), y


# --- driver ---
torch.manual_seed(0)
net = KeywordSpotter(4, SpecAugment())
opt = torch.optim.Adam(net.parameters(), 2e-3)
for i in range(3):
    wav, y = chirps(8, 400, 4)
    loss = F.cross_entropy(net(wav), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
