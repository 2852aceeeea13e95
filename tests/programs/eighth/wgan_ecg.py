"""Wasserstein GAN for short one-dimensional traces."""
import itertools
import math
from collections import defaultdict

import torch
import torch.nn as nn


class Upsample1d(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv1d(cin, cout, 5, padding=2)
        self.bn = nn.BatchNorm1d(cout)

    def forward(self, x):
        x = x.repeat_interleave(2, dim=-1)
        return torch.relu_(self.bn(self.conv(x)))


class TraceGenerator(nn.Module):
    def __init__(self, z=6, width=8, length=32):
        super().__init__()
        self.z, self.start = z, length // 8
        self.fc = nn.Linear(z, width * self.start)
        self.ups = nn.Sequential(Upsample1d(width, width), Upsample1d(width, width), Upsample1d(width, width))
        self.out = nn.Conv1d(width, 1, 1)

    def forward(self, z):
        x = self.fc(z).view(z.size(0), -1, self.start)
        return self.out(self.ups(x)).squeeze(1)


class Critic(nn.Module):
    def __init__(self, width=8, length=32):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(1, width, 5, 2, 2), nn.LeakyReLU(0.2, True),
            nn.Conv1d(width, width, 5, 2, 2), nn.LeakyReLU(0.2, True),
        )
        self.fc = nn.Linear(width * length // 4, 1)

    def forward(self, x):
        return self.fc(self.conv(x.unsqueeze(1)).flatten(1)).squeeze(1)

    def constrain(self, c):
        with torch.no_grad():
            for p in self.parameters():
                p.clamp_(-c, c)  # BUG


def ecg_like(n, length=32):
    t = torch.linspace(0, 2 * math.pi, length)
    rate = 1 + 2 * torch.rand(n, 1)
    x = torch.sin(rate * t)
    x += 0.3 * torch.sin(5 * rate * t)
    x.add_(torch.randn(n, length), alpha=0.02)
    return x


class WGANTrainer:
    def __init__(self, n_critic=2, c=0.05, lr=5e-5):
        self.G, self.D = TraceGenerator(), Critic()
        self.n_critic, self.c = n_critic, c
        self.opt_g = torch.optim.RMSprop(self.G.parameters(), lr=lr)
        self.opt_d = torch.optim.RMSprop(self.D.parameters(), lr=lr)
        self.stats = defaultdict(list)

    def critic_step(self, real):
        self.opt_d.zero_grad()
        with torch.no_grad():
            fake = self.G(torch.randn(real.size(0), self.G.z))
        gap = self.D(fake).mean() - self.D(real).mean()
        self.D.constrain(self.c)
        gap.backward()
        self.opt_d.step()
        self.stats["gap"].append(gap.item())

    def generator_step(self, n):
        self.opt_g.zero_grad()
        for p in self.D.parameters():
            p.requires_grad_(False)
        loss = -self.D(self.G(torch.randn(n, self.G.z))).mean()
        loss.backward()
        for p in self.D.parameters():
            p.requires_grad_(True)
        self.opt_g.step()
        self.stats["gen"].append(loss.item())

    def run(self, batches):
        for i, real in enumerate(batches, 1):
            self.critic_step(real)
            if i % self.n_critic == 0:
                self.generator_step(real.size(0))
        return {k: sum(v) / len(v) for k, v in self.stats.items()}


def stream(n, batch):
    return itertools.islice(iter(lambda: ecg_like(batch), None), n)


# --- driver ---
torch.manual_seed(0)
WGANTrainer().run(stream(2, 6))
