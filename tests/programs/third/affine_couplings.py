"""RealNVP on 2-d toy densities."""
import math
import torch
from torch import nn, Tensor
from torch.distributions import MultivariateNormal
from typing import Tuple


class Bijection(nn.Module):
    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor]:
        raise NotImplementedError

    def inverse(self, z: Tensor) -> Tensor:
        raise NotImplementedError


class AffineCoupling(Bijection):
    def __init__(self, dim: int, hidden: int, bound: float = 2.0):
        super().__init__()
        self.k = dim // 2
        self.bound = bound
        self.net = nn.Sequential(
            nn.Linear(self.k, hidden), nn.Softplus(),
            nn.Linear(hidden, 2 * (dim - self.k)),
        )

    def params(self, a):
        s, t = self.net(a).chunk(2, -1)
        return self.bound * torch.tanh(s / self.bound), t

    def forward(self, x):
        s, t = self.params(x[:, :self.k])
        x[:, self.k:] = x[:, self.k:] * s.exp() + t  # BUG
        return x, s.sum(-1)

    def inverse(self, z):
        a, b = z[:, :self.k], z[:, self.k:]
        s, t = self.params(a)
        return torch.cat([a, (b - t) * torch.exp(-s)], -1)


class Flip(Bijection):
    def forward(self, x):
        return x.flip(-1), x.new_zeros(len(x))

    def inverse(self, z):
        return z.flip(-1)


class Flow(nn.Module):
    def __init__(self, dim, depth, hidden=16):
        super().__init__()
        mods = []
        for i in range(depth):
            mods += [AffineCoupling(dim, hidden), Flip()]
        self.mods = nn.ModuleList(mods)
        self.register_buffer("loc", torch.zeros(dim))
        self.register_buffer("cov", torch.eye(dim))

    def log_prob(self, x):
        logdet = x.new_zeros(len(x))
        for m in self.mods:
            x, ld = m(x)
            logdet = logdet + ld
        return MultivariateNormal(self.loc, self.cov).log_prob(x) + logdet

    @torch.no_grad()
    def sample(self, n):
        z = torch.randn(n, len(self.loc))
        for m in reversed(self.mods):
            z = m.inverse(z)
        return z


def two_moons(n: int, noise: float = 0.05) -> Tensor:
    th = math.pi * torch.rand(n)
    side = torch.randint(0, 2, (n,)).float()
    x = torch.stack([th.cos() + side, th.sin() * (1 - 2 * side) + 0.5 * side], -1)
    return x + noise * torch.randn_like(x)


def fit(flow, iters, n=16, lr=1e-3):
    opt = torch.optim.Adam(flow.parameters(), lr=lr)
    for _ in range(iters):
        nll = -flow.log_prob(two_moons(n)).mean()
        opt.zero_grad()
        nll.backward()
        opt.step()
    return nll.item()


# --- driver ---
torch.manual_seed(19)
flow = Flow(2, 3)
fit(flow, 1)
flow.sample(4)
