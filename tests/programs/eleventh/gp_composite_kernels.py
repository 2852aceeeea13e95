"""Composite-kernel Gaussian process for seasonal series: fit with Adam, forecast with the same Cholesky factor."""
from __future__ import annotations

from typing import Callable, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import softplus

KERNELS: dict[str, Callable[..., nn.Module]] = {}


def register(name: str):
    def wrap(cls):
        KERNELS[name] = cls
        return cls
    return wrap


@register("rbf")
class RBF(nn.Module):
    def __init__(self, length=1.0, amp=1.0):
        super().__init__()
        self.length = nn.Parameter(torch.tensor(float(length)))
        self.amp = nn.Parameter(torch.tensor(float(amp)))

    def forward(self, lag: Tensor) -> Tensor:
        return softplus(self.amp) * torch.exp(-0.5 * (lag / softplus(self.length)).square())


@register("periodic")
class Periodic(nn.Module):
    def __init__(self, period=1.0, length=1.0, amp=0.5):
        super().__init__()
        self.register_buffer("period", torch.tensor(float(period)))
        self.length = nn.Parameter(torch.tensor(float(length)))
        self.amp = nn.Parameter(torch.tensor(float(amp)))

    def forward(self, lag: Tensor) -> Tensor:
        s = torch.sin(torch.pi * lag / self.period)
        return softplus(self.amp) * torch.exp(-2.0 * s.square() / softplus(self.length).square())


class Posterior(NamedTuple):
    mean: Tensor
    var: Tensor


class SeasonalGP(nn.Module):
    def __init__(self, spec: list[tuple[str, dict]], jitter: float = 1e-4):
        super().__init__()
        self.terms = nn.ModuleList(KERNELS[name](**kw) for name, kw in spec)
        self.raw_noise = nn.Parameter(torch.tensor(-1.0))
        self.jitter = jitter

    def gram(self, a: Tensor, b: Tensor) -> Tensor:
        lag = a[:, None] - b[None, :]
        total = torch.zeros_like(lag)
        for term in self.terms:
            total += term(lag)
        return total

    def noisy_gram(self, t: Tensor) -> Tensor:
        K = self.gram(t, t)
        K.diagonal().add_(softplus(self.raw_noise) + self.jitter)
        return K

    def loss(self, t: Tensor, y: Tensor) -> Tensor:
        L = torch.linalg.cholesky(self.noisy_gram(t))
        z = torch.linalg.solve_triangular(L, y[:, None], upper=False)
        return 0.5 * z.square().sum() + L.diagonal().log().sum()

    @torch.no_grad()
    def forecast(self, t: Tensor, y: Tensor, ts: Tensor) -> Posterior:
        L = torch.linalg.cholesky(self.noisy_gram(t))
        V = torch.linalg.solve_triangular(L, self.gram(t, ts), upper=False)
        z = torch.linalg.solve_triangular(L, y[:, None], upper=False)
        var = self.gram(ts, ts).diagonal().clone()
        var.sub_(V.square().sum(0)).clamp_(min=1e-8)
        return Posterior((V.T @ z).squeeze(-1), var)


def standardise(y: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    mu, sd = y.mean(), y.std()
    return (y - mu) / sd, lambda z: z * sd + mu


# --- driver ---
torch.manual_seed(3)
t = torch.linspace(0, 4, 30)
raw = 10 + torch.sin(6.28 * t) + 0.3 * t + 0.1 * torch.randn(30)
y, undo = standardise(raw)
gp = SeasonalGP([("rbf", {"length": 2.0}), ("periodic", {"period": 1.0})])
opt = torch.optim.Adam(gp.parameters(), lr=0.03)
for _ in range(10):
    opt.zero_grad()
    gp.loss(t, y).backward()
    opt.step()
post = gp.forecast(t, y, torch.linspace(4, 5, 6))
print(undo(post.mean))
