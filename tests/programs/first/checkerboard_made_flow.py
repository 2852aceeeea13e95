"""Autoregressive and checkerboard-coupling flow for dequantised vectors."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, d_in, d_out, mask):
        super().__init__(d_in, d_out)
        self.register_buffer('mask', mask)
        with torch.no_grad():
            self.weight.mul_(mask)

    def forward(self, x):
        return F.linear(x, self.weight * self.mask, self.bias)


class MADE(nn.Module):
    def __init__(self, dim, hidden=24):
        super().__init__()
        deg_in = torch.arange(1, dim + 1)
        deg_h = torch.arange(hidden) % max(1, dim - 1) + 1
        m1 = (deg_h[:, None] >= deg_in[None]).float()
        m2 = (deg_in[:, None] > deg_h[None]).float()
        self.l1, self.l2 = MaskedLinear(dim, hidden, m1), MaskedLinear(hidden, 2 * dim, m2.repeat(2, 1))

    def forward(self, x):
        h = F.relu_(self.l1(x))
        mu, log_s = self.l2(h).chunk(2, dim=1)
        return mu, torch.tanh(log_s)


class MAFLayer(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.made = MADE(dim)

    def forward(self, x):
        mu, log_s = self.made(x)
        return (x - mu) * (-log_s).exp(), -log_s.sum(1)

    @torch.no_grad()
    def inverse(self, z):
        x = torch.zeros_like(z)
        for i in range(z.size(1)):
            mu, log_s = self.made(x)
            x[:, i] = z[:, i] * log_s[:, i].exp() + mu[:, i]
        return x


class CheckerCoupling(nn.Module):
    def __init__(self, dim, even, hidden=24):
        super().__init__()
        idx = torch.arange(dim)
        self.register_buffer('keep', idx[idx % 2 == (0 if even else 1)])
        self.register_buffer('move', idx[idx % 2 == (1 if even else 0)])
        self.net = nn.Sequential(nn.Linear(len(self.keep), hidden), nn.ELU(inplace=True),
                                 nn.Linear(hidden, 2 * len(self.move)))
        self.gain = nn.Parameter(torch.zeros(len(self.move)))

    def st(self, a):
        s, t = self.net(a).chunk(2, 1)
        return self.gain.exp() * torch.tanh(s), t

    def forward(self, x):
        a, b = x[:, self.keep], x[:, self.move]
        s, t = self.st(a)
        y = torch.empty_like(x)
        y[:, self.keep] = a
        y[:, self.move] = b * s.exp() + t
        return y, s.sum(1)

    @torch.no_grad()
    def inverse(self, y):
        x = y.clone()
        s, t = self.st(y[:, self.keep])
        x[:, self.move] = (y[:, self.move] - t) * (-s).exp()
        return x


class Permute(nn.Module):
    def __init__(self, dim):
        super().__init__()
        p = torch.randperm(dim)
        self.register_buffer('p', p)
        inv = torch.empty_like(p)
        inv[p] = torch.arange(dim)
        self.register_buffer('inv', inv)

    def forward(self, x):
        return x[:, self.p], torch.zeros(x.size(0))

    def inverse(self, y):
        return y[:, self.inv]


class MixedFlow(nn.Module):
    def __init__(self, dim, depth=2):
        super().__init__()
        self.dim = dim
        self.layers = nn.ModuleList()
        for i in range(depth):
            self.layers.extend([CheckerCoupling(dim, i % 2 == 0), Permute(dim), MAFLayer(dim)])

    def log_prob(self, x):
        total = x.new_zeros(x.size(0))
        for l in self.layers:
            x, ld = l(x)
            total += ld
        total -= 0.5 * x.pow(2).sum(1)
        total -= 0.5 * self.dim * math.log(2 * math.pi)
        return total

    def sample(self, n):
        z = torch.randn(n, self.dim)
        for l in reversed(self.layers):
            z = l.inverse(z)
        return z


def dequantize(x, levels=16):
    x = x.float().add_(torch.rand(x.shape)).div_(levels)
    x = x.mul_(0.9).add_(0.05)
    return torch.log(x) - torch.log1p(-x)


# --- driver ---
flow = MixedFlow(6)
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(2):
    nll = -flow.log_prob(dequantize(torch.randint(0, 16, (10, 6)))).mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
print(flow.sample(2))
