"""Neural optimal transport with input-convex potentials (min-max over f and g)."""
from typing import Callable, Iterator, List

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class PositiveLinear(nn.Linear):
    """Weights are meant to stay non-negative; `project` restores it."""

    def reset_parameters(self):
        nn.init.uniform_(self.weight, -0.05, 0.3)
        if self.bias is not None:
            nn.init.zeros_(self.bias)

    def project(self):
        self.weight.data.clamp_(min=0)  # BUG silent

    def negativity(self) -> Tensor:
        return F.relu(-self.weight).square().sum()


class ConvexPotential(nn.Module):
    def __init__(self, dim: int, hidden: List[int]):
        super().__init__()
        self.inputs = nn.ModuleList(nn.Linear(dim, h) for h in hidden + [1])
        self.hidden = nn.ModuleList(PositiveLinear(a, b, bias=False) for a, b in zip(hidden, hidden[1:] + [1]))
        self.strong = nn.Parameter(torch.tensor(0.1))

    def forward(self, x: Tensor) -> Tensor:
        h = F.softplus(self.inputs[0](x))
        for skip, lin in zip(self.inputs[1:-1], self.hidden[:-1]):
            h = F.softplus(skip(x) + lin(h))
        quad = 0.5 * F.softplus(self.strong) * x.square().sum(-1, keepdim=True)
        return (self.inputs[-1](x) + self.hidden[-1](h) + quad).squeeze(-1)

    def gradient(self, x: Tensor) -> Tensor:
        x = x.detach().requires_grad_()
        (g,) = torch.autograd.grad(self(x).sum(), x, create_graph=True)
        return g

    def project(self):
        for layer in self.hidden:
            layer.project()

    def negativity(self) -> Tensor:
        return sum(layer.negativity() for layer in self.hidden)


class TransportProblem:
    def __init__(self, source: Callable[[int], Tensor], target: Callable[[int], Tensor], batch: int = 32):
        self.source, self.target, self.batch = source, target, batch

    def __iter__(self) -> Iterator:
        while True:
            yield self.source(self.batch), self.target(self.batch)


class MinMaxSolver:
    def __init__(self, dim: int = 2, hidden=(16, 16), inner: int = 2, penalty: float = 1.0):
        self.f, self.g = ConvexPotential(dim, list(hidden)), ConvexPotential(dim, list(hidden))
        self.opt_f = torch.optim.Adam(self.f.parameters(), 1e-3, betas=(0.5, 0.9))
        self.opt_g = torch.optim.Adam(self.g.parameters(), 1e-3, betas=(0.5, 0.9))
        self.inner, self.penalty = inner, penalty
        self.distance = torch.zeros(())

    def g_step(self, y: Tensor):
        moved = self.g.gradient(y)
        loss = (self.f(moved) - (moved * y).sum(-1)).mean() + self.penalty * self.g.negativity()
        self.opt_g.zero_grad()
        loss.backward()
        self.opt_g.step()

    def f_step(self, x: Tensor, y: Tensor):
        moved = self.g.gradient(y).detach()
        fx, fy = self.f(x), self.f(moved)
        loss = (fx - fy).mean()
        self.log(x, y, moved, fx.detach(), fy.detach())
        self.f.project()
        self.opt_f.zero_grad()
        loss.backward()
        self.opt_f.step()

    @torch.no_grad()
    def log(self, x, y, moved, fx, fy):
        dual = (fy - (moved * y).sum(-1) - fx).mean()
        dual += 0.5 * (x.square().sum(-1) + y.square().sum(-1)).mean()
        self.distance.lerp_(dual, 0.1)

    def solve(self, problem: TransportProblem, iterations: int) -> float:
        for _, (x, y) in zip(range(iterations), problem):
            for _ in range(self.inner):
                self.g_step(y)
            self.f_step(x, y)
        return self.distance.item()


def ring(n: int) -> Tensor:
    angle = torch.rand(n) * 2 * torch.pi
    return torch.stack([angle.cos(), angle.sin()], 1).mul_(2).add_(torch.randn(n, 2), alpha=0.1)


# --- driver ---
torch.manual_seed(51)
MinMaxSolver().solve(TransportProblem(lambda n: torch.randn(n, 2), ring), iterations=3)
