"""RealNVP on two-moons-like data."""
import math

import torch
import torch.nn as nn


class ConditionerNet(nn.Module):
    def __init__(self, d_in, d_out, hidden=32):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(d_in, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
            nn.Linear(hidden, d_out * 2),
        )

    def forward(self, x):
        shift, log_scale = self.net(x).chunk(2, dim=-1)
        return shift, torch.tanh(log_scale)


class ActNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def _data_init(self, x):
        self.loc.copy_(-x.mean(0))
        self.log_scale.copy_(-torch.log(x.std(0) + 1e-6))
        self.ready.fill_(True)

    def forward(self, x):
        if not self.ready:
            self._data_init(x)
        return (x + self.loc) * self.log_scale.exp(), self.log_scale.sum()


class AffineCoupling(nn.Module):
    def __init__(self, dim, flip):
        super().__init__()
        self.k = dim // 2
        self.flip = flip
        self.cond = ConditionerNet(self.k, dim - self.k)

    def forward(self, x):
        if self.flip:
            x = x.flip(-1)
        shift, log_s = self.cond(x[:, : self.k])
        x[:, self.k:] = x[:, self.k:] * log_s.exp() + shift  # BUG
        return x, log_s.sum(-1)


class Flow(nn.Module):
    def __init__(self, dim, depth=4):
        super().__init__()
        layers = []
        for i in range(depth):
            layers += [ActNorm(dim), AffineCoupling(dim, flip=bool(i % 2))]
        self.layers = nn.ModuleList(layers)
        self.dim = dim

    def log_prob(self, x):
        logdet = x.new_zeros(x.size(0))
        z = x
        for layer in self.layers:
            z, ld = layer(z)
            logdet = logdet + ld
        base = -0.5 * (z.pow(2).sum(-1) + self.dim * math.log(2 * math.pi))
        return base + logdet


def moons(n):
    t = torch.rand(n) * math.pi
    side = (torch.rand(n) > 0.5).float()
    x = torch.stack([torch.cos(t) + side, torch.sin(t) * (1 - 2 * side)], dim=1)
    return x + 0.05 * torch.randn_like(x)


def fit(flow, steps=3, lr=1e-3, batch=32):
    opt = torch.optim.Adam(flow.parameters(), lr=lr)
    for _ in range(steps):
        nll = -flow.log_prob(moons(batch)).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    return nll.item()


# --- driver ---
torch.manual_seed(0)
fit(Flow(2), steps=1)
