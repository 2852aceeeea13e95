"""Density estimation with affine couplings, activation normalisation and permutations (RealNVP family)."""
import math

import torch
import torch.nn as nn


class Transform(nn.Module):
    def forward(self, x):
        """Returns the image and the log-determinant."""
        raise NotImplementedError

    def inverse(self, y):
        raise NotImplementedError


class ActNorm(Transform):
    def __init__(self, dim):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.ready = False

    @torch.no_grad()
    def initialise(self, x):
        self.shift.copy_(-x.mean(0))
        self.log_scale.copy_(-x.std(0).clamp_min(1e-3).log())
        self.ready = True

    def forward(self, x):
        if not self.ready:
            self.initialise(x)
        return (x + self.shift) * self.log_scale.exp(), self.log_scale.sum().expand(len(x))

    def inverse(self, y):
        return y * (-self.log_scale).exp() - self.shift


class Permute(Transform):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("perm", torch.randperm(dim))
        self.register_buffer("back", self.perm.argsort())

    def forward(self, x):
        return x[:, self.perm], x.new_zeros(len(x))

    def inverse(self, y):
        return y[:, self.back]


class Coupling(Transform):
    def __init__(self, dim, width=24):
        super().__init__()
        self.half = dim // 2
        rest = dim - self.half
        self.net = nn.Sequential(nn.Linear(self.half, width), nn.ReLU(), nn.Linear(width, 2 * rest))
        nn.init.zeros_(self.net[-1].bias)

    def coefficients(self, head):
        log_s, t = self.net(head).chunk(2, dim=-1)
        return 2.0 * torch.tanh(log_s / 2.0), t

    def forward(self, x):
        log_s, t = self.coefficients(x[:, : self.half])
        x[:, self.half:] = x[:, self.half:] * log_s.exp() + t  # BUG
        return x, log_s.sum(-1)

    def inverse(self, y):
        log_s, t = self.coefficients(y[:, : self.half])
        tail = (y[:, self.half:] - t) * (-log_s).exp()
        return torch.cat([y[:, : self.half], tail], dim=-1)


class Flow(nn.Module):
    def __init__(self, dim, depth=3):
        super().__init__()
        self.dim = dim
        self.steps = nn.ModuleList([T(dim) for _ in range(depth) for T in (ActNorm, Permute, Coupling)])

    def log_prob(self, x):
        total = torch.zeros(len(x))
        for step in self.steps:
            x, logdet = step(x)
            total = total + logdet
        base = -0.5 * (x.square().sum(-1) + self.dim * math.log(2 * math.pi))
        return base + total

    @torch.no_grad()
    def sample(self, n):
        y = torch.randn(n, self.dim)
        for step in reversed(self.steps):
            y = step.inverse(y)
        return y


def spiral(n):
    a = torch.rand(n).sqrt() * 3 * math.pi
    noise = 0.1 * torch.randn(n, 4)
    return torch.stack([a * a.cos(), a * a.sin(), a, -a], 1) / 3 + noise


# --- driver ---
torch.manual_seed(0)
flow = Flow(4)
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
for _ in range(3):
    loss = -flow.log_prob(spiral(64)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(flow.sample(3))
