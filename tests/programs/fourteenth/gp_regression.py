"""Exact GP regression by marginal likelihood; kernels compose with + and *."""
from __future__ import annotations

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn


class Kernel(nn.Module, ABC):
    @abstractmethod
    def forward(self, a: Tensor, b: Tensor) -> Tensor: ...

    def __add__(self, other: Kernel) -> Kernel:
        return Combined(self, other, torch.add)

    def __mul__(self, other: Kernel) -> Kernel:
        return Combined(self, other, torch.mul)


class Combined(Kernel):
    def __init__(self, left: Kernel, right: Kernel, op):
        super().__init__()
        self.left, self.right, self.op = left, right, op

    def forward(self, a, b):
        return self.op(self.left(a, b), self.right(a, b))


class RBF(Kernel):
    def __init__(self, dims: int, lengthscale: float = 1.0):
        super().__init__()
        self.log_scale = nn.Parameter(torch.full((dims,), math.log(lengthscale)))

    def forward(self, a, b):
        s = self.log_scale.exp()
        d2 = ((a / s).unsqueeze(1) - (b / s).unsqueeze(0)).square().sum(-1)
        return torch.exp(-0.5 * d2)


class Periodic(Kernel):
    def __init__(self, period: float):
        super().__init__()
        self.log_period = nn.Parameter(torch.tensor(math.log(period)))
        self.log_scale = nn.Parameter(torch.zeros(()))

    def forward(self, a, b):
        gap = (a.unsqueeze(1) - b.unsqueeze(0)).norm(dim=-1)
        return torch.exp(-2 * (torch.sin(math.pi * gap / self.log_period.exp()) / self.log_scale.exp()).square())


class Linear(Kernel):
    def __init__(self, dims: int):
        super().__init__()
        self.log_var = nn.Parameter(torch.zeros(dims))

    def forward(self, a, b):
        return (a * self.log_var.exp()) @ b.t()


class GaussianNoise(nn.Module):
    def __init__(self, std: float, jitter: float = 1e-5):
        super().__init__()
        self.log_var = nn.Parameter(torch.tensor(2 * math.log(std)))
        self.jitter = jitter

    def corrupt(self, gram: Tensor) -> Tensor:
        gram.diagonal().add_(self.log_var.exp() + self.jitter)  # BUG
        return gram


class ExactGP(nn.Module):
    def __init__(self, kernel: Kernel, noise: GaussianNoise):
        super().__init__()
        self.kernel, self.noise = kernel, noise
        self.mean = nn.Parameter(torch.zeros(()))

    def factor(self, x: Tensor) -> Tensor:
        return torch.linalg.cholesky(self.noise.corrupt(self.kernel(x, x)))

    def neg_log_marginal(self, x: Tensor, y: Tensor) -> Tensor:
        chol = self.factor(x)
        r = (y - self.mean).unsqueeze(1)
        white = torch.linalg.solve_triangular(chol, r, upper=False)
        return 0.5 * white.square().sum() + chol.diagonal().log().sum() + 0.5 * y.numel() * math.log(2 * math.pi)

    @torch.no_grad()
    def posterior(self, x: Tensor, y: Tensor, new: Tensor) -> tuple[Tensor, Tensor]:
        chol = self.factor(x)
        cross = self.kernel(x, new)
        weights = torch.cholesky_solve((y - self.mean).unsqueeze(1), chol)
        v = torch.linalg.solve_triangular(chol, cross, upper=False)
        return self.mean + (cross.t() @ weights).squeeze(1), self.kernel(new, new).diagonal() - v.square().sum(0)


# --- driver ---
torch.manual_seed(3)
x = torch.rand(25, 1) * 6
y = torch.sin(2 * x.squeeze(1)) + 0.3 * x.squeeze(1) + 0.1 * torch.randn(25)
gp = ExactGP(RBF(1) * Periodic(3.0), GaussianNoise(0.2))
gp_smooth = ExactGP(RBF(1, 0.7), GaussianNoise(0.2))
for model in (gp, gp_smooth):
    opt = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(3):
        nll = model.neg_log_marginal(x, y)
        opt.zero_grad()
        nll.backward()
        opt.step()
    print(nll.item(), model.posterior(x, y, torch.tensor([[1.0], [7.0]])))
