"""Exact Gaussian process regression, hyperparameters by type-II maximum likelihood."""
import math

import torch
from torch import nn


class Positive(nn.Module):
    """A positive scalar or vector, kept as its logarithm."""

    def __init__(self, init):
        super().__init__()
        self.raw = nn.Parameter(torch.as_tensor(init, dtype=torch.float64).log())

    def forward(self):
        return self.raw.exp()


class Kernel(nn.Module):
    def forward(self, a, b):
        raise NotImplementedError

    def __add__(self, other):
        return SumKernel(self, other)


class SumKernel(Kernel):
    def __init__(self, *parts):
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def forward(self, a, b):
        first, *rest = [k(a, b) for k in self.parts]
        for r in rest:
            first = first + r
        return first


class ARD(Kernel):
    def __init__(self, dims):
        super().__init__()
        self.scale = Positive([1.0] * dims)
        self.log_amp = nn.Parameter(torch.zeros((), dtype=torch.float64))

    def forward(self, a, b):
        s = self.scale()
        d2 = ((a[:, None] / s - b[None] / s) ** 2).sum(-1)
        return torch.exp(self.log_amp - 0.5 * d2)


class ExactGP(nn.Module):
    def __init__(self, kernel, noise=0.1):
        super().__init__()
        self.kernel = kernel
        self.noise = Positive(noise)
        self.mean = nn.Parameter(torch.zeros((), dtype=torch.float64))

    def covariance(self, x):
        K = self.kernel(x, x)
        K.diagonal().add_(self.noise() + 1e-6)  # BUG
        return K

    def neg_log_marginal(self, x, y):
        L = torch.linalg.cholesky(self.covariance(x))
        r = (y - self.mean).unsqueeze(-1)
        alpha = torch.cholesky_solve(r, L)
        fit = 0.5 * (r * alpha).sum()
        logdet = L.diagonal().log().sum()
        return fit + logdet + 0.5 * len(y) * math.log(2 * math.pi)

    @torch.no_grad()
    def predict(self, x, y, xs):
        L = torch.linalg.cholesky(self.covariance(x))
        ks = self.kernel(x, xs)
        alpha = torch.cholesky_solve((y - self.mean).unsqueeze(-1), L)
        v = torch.linalg.solve_triangular(L, ks, upper=False)
        mean = self.mean + (ks.T @ alpha).squeeze(-1)
        return mean, self.kernel(xs, xs).diagonal() - v.pow(2).sum(0)


def fit(gp, x, y, steps=5, lr=0.05):
    opt = torch.optim.Adam(gp.parameters(), lr=lr)
    history = []
    for _ in range(steps):
        opt.zero_grad()
        nll = gp.neg_log_marginal(x, y)
        nll.backward()
        opt.step()
        history.append(nll.item())
    return history


# --- driver ---
torch.manual_seed(1)
x = torch.rand(25, 2, dtype=torch.float64) * 4
y = torch.sin(x[:, 0]) + 0.1 * torch.randn(25, dtype=torch.float64)
gp = ExactGP(ARD(2))
fit(gp, x, y)
mean, var = gp.predict(x, y, x[:5] + 0.1)
