"""Density estimation with affine couplings over interleaved dimensions."""
import math
from abc import ABC, abstractmethod

import torch
import torch.nn as nn


class Bijector(nn.Module, ABC):
    @abstractmethod
    def forward(self, x, logdet):
        ...

    @abstractmethod
    def inverse(self, z):
        ...


class Conditioner(nn.Module):
    def __init__(self, d_in, d_out, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, hidden), nn.Tanh(), nn.Linear(hidden, 2 * d_out))
        nn.init.normal_(self.net[-1].weight, std=0.01)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        s, t = self.net(x).chunk(2, -1)
        return torch.tanh(s), t


class InterleavedCoupling(Bijector):
    def __init__(self, dim, hidden, parity):
        super().__init__()
        self.keep = slice(parity, None, 2)
        self.move = slice(1 - parity, None, 2)
        half = dim // 2
        self.cond = Conditioner(half, half, hidden)

    def forward(self, x, logdet):
        s, t = self.cond(x[:, self.keep])
        x[:, self.move] = x[:, self.move] * s.exp() + t  # BUG
        return x, logdet + s.sum(-1)

    @torch.no_grad()
    def inverse(self, z):
        z = z.clone()
        s, t = self.cond(z[:, self.keep])
        z[:, self.move] = (z[:, self.move] - t) * (-s).exp()
        return z


class Rotation(Bijector):
    """Fixed orthogonal mixing between couplings."""

    def __init__(self, dim):
        super().__init__()
        q, _ = torch.linalg.qr(torch.randn(dim, dim))
        self.register_buffer("q", q)

    def forward(self, x, logdet):
        return x @ self.q, logdet

    def inverse(self, z):
        return z @ self.q.T


class Flow(nn.Module):
    def __init__(self, dim=4, depth=3, hidden=32):
        super().__init__()
        blocks = []
        for i in range(depth):
            blocks += [InterleavedCoupling(dim, hidden, i % 2), Rotation(dim)]
        self.blocks = nn.ModuleList(blocks)
        self.dim = dim

    def log_prob(self, x):
        z, logdet = x.clone(), x.new_zeros(len(x))
        for block in self.blocks:
            z, logdet = block(z, logdet)
        base = -0.5 * (z.pow(2).sum(-1) + self.dim * math.log(2 * math.pi))
        return base + logdet

    def sample(self, n):
        z = torch.randn(n, self.dim)
        for block in reversed(self.blocks):
            z = block.inverse(z)
        return z


def fit(flow, data, steps, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr=lr)
    for _ in range(steps):
        batch = data[torch.randint(len(data), (64,))]
        nll = -flow.log_prob(batch).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    return nll.item()


# --- driver ---
torch.manual_seed(3)
data = torch.randn(256, 4) @ torch.randn(4, 4)
flow = Flow()
fit(flow, data, steps=3)
flow.sample(8)
