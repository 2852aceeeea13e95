"""Mixture density network with a clamped-gradient exp as a custom Function."""
import math
from typing import Tuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable


class BoundedExp(torch.autograd.Function):
    """exp(x), whose derivative never exceeds `limit`."""

    @staticmethod
    def forward(ctx, x: Tensor, limit: float) -> Tensor:
        y = x.exp()
        ctx.y = y.detach()
        ctx.limit = limit
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, grad: Tensor) -> Tuple[Tensor, None]:
        return grad * ctx.y.clamp(max=ctx.limit), None


def bounded_exp(x: Tensor, limit: float = 10.0) -> Tensor:
    return BoundedExp.apply(x, limit)


class MDNHead(nn.Module):
    def __init__(self, width: int, components: int, dim: int) -> None:
        super().__init__()
        self.k, self.d = components, dim
        self.pi = nn.Linear(width, components)
        self.mu = nn.Linear(width, components * dim)
        self.log_sigma = nn.Linear(width, components)

    def forward(self, h: Tensor) -> "Mixture":
        return Mixture(
            torch.log_softmax(self.pi(h), -1),
            self.mu(h).view(-1, self.k, self.d),
            bounded_exp(self.log_sigma(h)),
        )


class Mixture:
    def __init__(self, log_pi: Tensor, mu: Tensor, sigma: Tensor) -> None:
        self.log_pi, self.mu, self.sigma = log_pi, mu, sigma

    def floored(self, floor: float) -> "Mixture":
        """The same mixture, no component narrower than the sensor's noise."""
        self.sigma += floor  # BUG silent
        return self

    def log_prob(self, y: Tensor) -> Tensor:
        z = (y.unsqueeze(1) - self.mu) / self.sigma.unsqueeze(-1)
        d = self.mu.size(-1)
        comp = -0.5 * z.square().sum(-1) - d * self.sigma.log() - 0.5 * d * math.log(2 * math.pi)
        return torch.logsumexp(self.log_pi + comp, dim=-1)

    def mean(self) -> Tensor:
        return (self.log_pi.exp().unsqueeze(-1) * self.mu).sum(1)


class MDN(nn.Module):
    def __init__(self, d_in: int, dim: int, width: int = 24, components: int = 3, noise: float = 0.3) -> None:
        super().__init__()
        self.noise = noise
        self.body = nn.Sequential(nn.Linear(d_in, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh())
        self.head = MDNHead(width, components, dim)

    def nll(self, x: Tensor, y: Tensor) -> Tensor:
        mixture = self.head(self.body(x)).floored(self.noise)
        return -mixture.log_prob(y).mean()


def inverse_sine(n: int) -> Tuple[Tensor, Tensor]:
    y = torch.rand(n, 1) * 2 - 1
    x = y + 0.3 * torch.sin(4 * math.pi * y) + 0.05 * torch.randn(n, 1)
    return x, y


# --- driver ---
torch.manual_seed(2)
mdn = MDN(1, 1)
opt = torch.optim.Adam(mdn.parameters(), lr=5e-3)
for _ in range(4):
    nll = mdn.nll(*inverse_sine(32))
    opt.zero_grad()
    nll.backward()
    opt.step()
