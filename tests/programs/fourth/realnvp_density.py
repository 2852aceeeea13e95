import math
from typing import Protocol, Tuple

import torch
from torch import Tensor, nn


class Bijection(Protocol):
    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        ...

    def inverse(self, z: Tensor) -> Tensor:
        ...


class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.shift = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _initialise(self, x):
        self.log_scale.copy_(-x.std(0).clamp_min(1e-3).log())
        self.shift.copy_(-x.mean(0))
        self.ready.fill_(True)

    def forward(self, x):
        if not self.ready:
            self._initialise(x)
        return (x + self.shift) * self.log_scale.exp(), self.log_scale.sum().expand(len(x))

    def inverse(self, z):
        return z * (-self.log_scale).exp() - self.shift


class Coupling(nn.Module):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.d = dim // 2
        self.net = nn.Sequential(nn.Linear(self.d, hidden), nn.Tanh(), nn.Linear(hidden, 2 * (dim - self.d)))

    def _params(self, xa):
        s, t = self.net(xa).chunk(2, -1)
        return torch.tanh(s), t

    def forward(self, x):
        s, t = self._params(x[:, :self.d])
        x[:, self.d:] = x[:, self.d:] * s.exp() + t  # BUG
        return x, s.sum(-1)

    def inverse(self, z):
        za, zb = z[:, :self.d], z[:, self.d:]
        s, t = self._params(za)
        return torch.cat([za, (zb - t) * (-s).exp()], -1)


class Reverse(nn.Module):
    def forward(self, x):
        return x.flip(-1), x.new_zeros(len(x))

    inverse = lambda self, z: z.flip(-1)


class Flow(nn.Module):
    def __init__(self, *layers: nn.Module):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def log_prob(self, x: Tensor) -> Tensor:
        logdet = x.new_zeros(len(x))
        for layer in self.layers:
            x, ld = layer(x)
            logdet += ld
        base = -0.5 * (x ** 2 + math.log(2 * math.pi)).sum(-1)
        return base + logdet

    @torch.no_grad()
    def sample(self, n: int, dim: int) -> Tensor:
        z = torch.empty(n, dim).normal_()
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def build_flow(dim, depth):
    layers = []
    for _ in range(depth):
        layers += [ActNorm(dim), Coupling(dim), Reverse()]
    return Flow(*layers)


def two_moons(n):
    theta = torch.rand(n) * math.pi
    pts = torch.stack([theta.cos(), theta.sin()], 1)
    flip = torch.rand(n) < 0.5
    pts[flip] = torch.tensor([1.0, 0.5]) - pts[flip]
    return pts.add_(torch.randn(n, 2), alpha=0.05)


def fit(flow, steps, batch=16):
    opt = torch.optim.Adam(flow.parameters(), 1e-3)
    for _ in range(steps):
        nll = -flow.log_prob(two_moons(batch)).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    return nll.item()


# --- driver ---
torch.manual_seed(0)
flow = build_flow(2, 2)
fit(flow, 2)
flow.sample(4, 2)
