"""LRU-style recurrence for long-range regression; bidirectional scan."""
import math
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


def ring_init(n, r_min=0.5, r_max=0.95):
    u1, u2 = torch.rand(n), torch.rand(n)
    nu = torch.log(-0.5 * torch.log(u1 * (r_max ** 2 - r_min ** 2) + r_min ** 2))
    theta = torch.log(2 * math.pi * u2 + 1e-4)
    return nu, theta


class LRU(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        nu, theta = ring_init(n)
        self.nu, self.theta = nn.Parameter(nu), nn.Parameter(theta)
        self.b = nn.Linear(dim, 2 * n, bias=False)
        self.c = nn.Linear(2 * n, dim)
        self.n = n

    def rotation(self):
        mod = torch.exp(-torch.exp(self.nu))
        phase = torch.exp(self.theta)
        gamma = torch.sqrt(1 - mod ** 2)
        return mod * torch.cos(phase), mod * torch.sin(phase), gamma

    def scan(self, u):
        re, im, gamma = self.rotation()
        ur, ui = (self.b(u).unflatten(-1, (2, self.n)) * gamma).unbind(-2)
        hr = u.new_zeros(u.size(0), self.n)
        hi = torch.zeros_like(hr)
        out: List[torch.Tensor] = []
        for t in range(u.size(1)):
            nr = re * hr - im * hi
            nr += ur[:, t]
            ni = re * hi + im * hr
            ni += ui[:, t]
            hr, hi = nr, ni
            out.append(torch.cat([hr, hi], dim=-1))
        return torch.stack(out, dim=1)

    def forward(self, x, reverse=False):
        if reverse:
            return self.c(self.scan(x.flip(1))).flip(1)
        return self.c(self.scan(x))


class BiLRUBlock(nn.Module):
    def __init__(self, dim, n):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fwd, self.bwd = LRU(dim, n), LRU(dim, n)
        self.glu = nn.Linear(dim, dim * 2)

    def forward(self, x):
        h = self.norm(x)
        y = self.fwd(h)
        y += self.bwd(h, reverse=True)
        y = F.glu(self.glu(F.gelu(y)), dim=-1)
        y += x
        return y


class Regressor(nn.Module):
    def __init__(self, n_in=2, dim=10, n=6, depth=2):
        super().__init__()
        self.enc = nn.Linear(n_in, dim)
        self.layers = nn.Sequential(*(BiLRUBlock(dim, n) for _ in range(depth)))
        self.dec = nn.Linear(dim, 1)

    def forward(self, x):
        return self.dec(self.layers(self.enc(x)).mean(1)).squeeze(-1)


def adding_problem(n, length):
    x = torch.zeros(n, length, 2)
    x[..., 0].uniform_()
    for row in x:
        i, j = torch.randperm(length)[:2].tolist()
        row[i, 1] = 1.0
        row[j, 1] = 1.0
    return x, (x[..., 0] * x[..., 1]).sum(1)


def train(model, steps=2):
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(steps):
        x, y = adding_problem(8, 10)
        loss = F.smooth_l1_loss(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(Regressor())
