"""RealNVP-style normalising flow for 2-D densities."""
import math
from abc import ABC, abstractmethod

import torch
import torch.nn as nn


class Bijector(nn.Module, ABC):
    @abstractmethod
    def forward(self, x): ...

    @abstractmethod
    def inverse(self, y): ...


class ActNorm(Bijector):
    def __init__(self, dim):
        super().__init__()
        self.log_s, self.b = nn.Parameter(torch.zeros(dim)), nn.Parameter(torch.zeros(dim))
        self.register_buffer('ready', torch.tensor(False))

    @torch.no_grad()
    def _init_from(self, x):
        self.b.copy_(-x.mean(0))
        self.log_s.copy_(-(x.std(0) + 1e-5).log())
        self.ready.fill_(True)

    def forward(self, x):
        if not self.ready:
            self._init_from(x)
        return (x + self.b) * self.log_s.exp(), self.log_s.sum().expand(x.size(0))

    def inverse(self, y):
        return y * (-self.log_s).exp() - self.b


class AffineCoupling(Bijector):
    def __init__(self, dim, hidden=32, flip=False):
        super().__init__()
        self.d, self.flip = dim // 2, flip
        self.net = nn.Sequential(nn.Linear(self.d, hidden), nn.SiLU(), nn.Linear(hidden, 2 * (dim - self.d)))
        self.s_scale = nn.Parameter(torch.ones(dim - self.d))

    def params(self, x1):
        h = self.net(x1)
        n = h.size(1) // 2
        s = torch.tanh(h[:, :n])
        s *= self.s_scale  # BUG
        return s, h[:, n:]

    def split(self, x):
        a, b = x[:, :self.d], x[:, self.d:]
        return (b, a) if self.flip else (a, b)

    def join(self, a, b):
        return torch.cat([b, a] if self.flip else [a, b], dim=1)

    def forward(self, x):
        x1, x2 = self.split(x)
        s, t = self.params(x1)
        return self.join(x1, x2 * s.exp() + t), s.sum(1)

    def inverse(self, y):
        y1, y2 = self.split(y)
        s, t = self.params(y1)
        return self.join(y1, (y2 - t) * (-s).exp())


class Flow(nn.Module):
    def __init__(self, bijectors, dim):
        super().__init__()
        self.bijectors, self.dim = nn.ModuleList(bijectors), dim

    def log_prob(self, x):
        log_det = torch.zeros(x.size(0))
        for b in self.bijectors:
            x, ld = b(x)
            log_det += ld
        base = -0.5 * (x.pow(2).sum(1) + self.dim * math.log(2 * math.pi))
        return base + log_det

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, self.dim)
        for b in reversed(self.bijectors):
            z = b.inverse(z)
        return z


def build_flow(dim=2, depth=3):
    mods = []
    for i in range(depth):
        mods += [ActNorm(dim), AffineCoupling(dim, flip=bool(i % 2))]
    return Flow(mods, dim)


def spiral(n):
    t = torch.rand(n).sqrt() * 3 * math.pi
    pts = torch.stack([t * t.cos(), t * t.sin()], 1).div_(4)
    return pts + 0.1 * torch.randn(n, 2)


# --- driver ---
flow = build_flow()
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(2):
    loss = -flow.log_prob(spiral(32)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(flow.sample(3))
