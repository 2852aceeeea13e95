import math
from functools import partial

import torch
import torch.nn as nn

FLOWS = {}


def register(name):
    def deco(cls):
        FLOWS[name] = cls
        return cls
    return deco


def mlp(i, h, o):
    net = nn.Sequential(nn.Linear(i, h), nn.LeakyReLU(0.1), nn.Linear(h, o))
    nn.init.zeros_(net[-1].bias)
    with torch.no_grad():
        net[-1].weight.mul_(0.1)
    return net


@register("coupling")
class Coupling(nn.Module):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.k = dim // 2
        self.st = mlp(self.k, hidden, 2 * (dim - self.k))

    def forward(self, x):
        s, t = self.st(x[:, :self.k]).chunk(2, dim=1)
        s = torch.tanh(s)
        x[:, self.k:] = x[:, self.k:] * s.exp() + t  # BUG
        return x, s.sum(1)

    def inverse(self, y):
        s, t = self.st(y[:, :self.k]).chunk(2, dim=1)
        tail = (y[:, self.k:] - t) * torch.exp(-torch.tanh(s))
        return torch.cat([y[:, :self.k], tail], 1)


@register("actnorm")
class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.log_s = nn.Parameter(torch.zeros(dim))
        self.b = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _data_init(self, x):
        self.b.copy_(-x.mean(0))
        self.log_s.copy_(-x.std(0).clamp_(min=1e-3).log())
        self.ready.fill_(True)

    def forward(self, x):
        if not self.ready:
            self._data_init(x)
        return (x + self.b) * self.log_s.exp(), self.log_s.sum().expand(x.size(0))

    def inverse(self, y):
        return y * torch.exp(-self.log_s) - self.b


@register("flip")
class Flip(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("perm", torch.arange(dim - 1, -1, -1))

    def forward(self, x):
        return x[:, self.perm], x.new_zeros(x.size(0))

    def inverse(self, y):
        return y[:, self.perm]


class Flow(nn.Module):
    def __init__(self, dim, spec):
        super().__init__()
        self.layers = nn.ModuleList(partial(FLOWS[name], dim)(**kw) for name, kw in spec)
        self.dim = dim

    def log_prob(self, x):
        logdet = torch.zeros(x.size(0))
        for layer in self.layers:
            x, ld = layer(x)
            logdet = logdet + ld
        base = -0.5 * (x ** 2).sum(1) - 0.5 * self.dim * math.log(2 * math.pi)
        return base + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, self.dim)
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z


def two_moons(n, noise=0.1):
    t = torch.rand(n) * math.pi
    side = (torch.rand(n) > 0.5).float()
    x = torch.stack([torch.cos(t) * (1 - 2 * side) + side, torch.sin(t) * (1 - 2 * side) + 0.5 * side], 1)
    return x.add_(torch.randn_like(x), alpha=noise)


def train_flow(flow, steps, batch, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr=lr)
    for _ in range(steps):
        nll = -flow.log_prob(two_moons(batch)).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    return nll.item()


# --- driver ---
torch.manual_seed(0)
spec = [("actnorm", {}), ("coupling", {"hidden": 8}), ("flip", {}), ("coupling", {"hidden": 8})]
train_flow(Flow(2, spec), steps=2, batch=16)
