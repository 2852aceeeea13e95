"""RealNVP-style density estimator with reversible affine couplings and a fixed channel flip."""
import math
import torch
import torch.nn as nn


class Conditioner(nn.Module):
    def __init__(self, d_in, d_out, hidden=24):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, hidden), nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU())
        self.out = nn.Linear(hidden, 2 * d_out)
        nn.init.normal_(self.out.weight, std=0.01)
        nn.init.zeros_(self.out.bias)

    def forward(self, x):
        s, t = self.out(self.net(x)).chunk(2, dim=-1)
        return 2 * torch.tanh(s / 2), t


class AffineCoupling(nn.Module):
    def __init__(self, dim, swap):
        super().__init__()
        half = dim // 2
        first, second = slice(None, half), slice(half, None)
        self.kept, self.moved = (second, first) if swap else (first, second)
        self.cond = Conditioner(half if not swap else dim - half, dim - half if not swap else half)

    def forward(self, x):
        s, t = self.cond(x[:, self.kept])
        x[:, self.moved] = x[:, self.moved] * s.exp() + t  # BUG
        return x, s.sum(1)

    @torch.no_grad()
    def inverse(self, z):
        s, t = self.cond(z[:, self.kept])
        z[:, self.moved] = (z[:, self.moved] - t) * torch.exp(-s)
        return z


class ActNorm(nn.Module):
    """Data-dependent initialisation on the first batch it sees."""

    def __init__(self, dim):
        super().__init__()
        self.shift = nn.Parameter(torch.zeros(dim))
        self.log_scale = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    def forward(self, x):
        if not self.ready:
            with torch.no_grad():
                self.shift.copy_(-x.mean(0))
                self.log_scale.copy_(-x.std(0).add(1e-6).log())
                self.ready.fill_(True)
        return (x + self.shift) * self.log_scale.exp(), self.log_scale.sum().expand(x.size(0))

    @torch.no_grad()
    def inverse(self, z):
        return z * torch.exp(-self.log_scale) - self.shift


class RealNVP(nn.Module):
    def __init__(self, dim, pairs=2):
        super().__init__()
        self.dim = dim
        self.steps = nn.ModuleList()
        for _ in range(pairs):
            self.steps += [ActNorm(dim), AffineCoupling(dim, False), AffineCoupling(dim, True)]

    def log_prob(self, x):
        z, logdet = x, x.new_zeros(x.size(0))
        for step in self.steps:
            z, ld = step(z)
            logdet = logdet + ld
        base = -0.5 * (z.square().sum(1) + self.dim * math.log(2 * math.pi))
        return base + logdet

    def sample(self, n):
        z = torch.randn(n, self.dim)
        for step in reversed(self.steps):
            z = step.inverse(z)
        return z


def two_moons(n):
    t = math.pi * torch.rand(n)
    upper = torch.rand(n) < 0.5
    x = torch.where(upper, t.cos(), 1 - t.cos())
    y = torch.where(upper, t.sin(), 0.5 - t.sin())
    extra = torch.stack([x * y, x - y], 1)
    return torch.cat([torch.stack([x, y], 1), extra], 1) + 0.05 * torch.randn(n, 4)


# --- driver ---
torch.manual_seed(2)
flow = RealNVP(4)
opt = torch.optim.Adam(flow.parameters(), lr=1e-3)
for _ in range(3):
    nll = -flow.log_prob(two_moons(64)).mean()
    opt.zero_grad()
    nll.backward()
    opt.step()
print(flow.sample(3))
