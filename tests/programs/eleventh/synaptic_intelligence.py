"""Continual regression with synaptic intelligence: path integrals of the loss kept for every parameter."""
import math
from typing import Callable

import torch
from torch import nn


class PathIntegral:
    """Wraps an optimiser; watches what each parameter did for the loss."""

    def __init__(self, module: nn.Module, opt: torch.optim.Optimizer, c: float = 0.5, xi: float = 1e-2):
        self.params = dict(module.named_parameters())
        self.opt, self.c, self.xi = opt, c, xi
        zeros = lambda: {n: torch.zeros_like(p) for n, p in self.params.items()}
        self.omega, self.path = zeros(), zeros()
        self.start = {n: p.detach().clone() for n, p in self.params.items()}
        self.before = zeros()
        self.task_grad = zeros()

    def surrogate(self) -> torch.Tensor:
        terms = [(self.omega[n] * (p - self.start[n]).square()).sum() for n, p in self.params.items()]
        return self.c * torch.stack(terms).sum()

    def backward(self, task_loss: torch.Tensor) -> None:
        self.opt.zero_grad()
        task_loss.backward()
        for n, p in self.params.items():
            self.task_grad[n].copy_(p.grad)
        self.surrogate().backward()

    @torch.no_grad()
    def step(self) -> None:
        for n, p in self.params.items():
            self.before[n].copy_(p)
        self.opt.step()
        for n, p in self.params.items():
            self.path[n].addcmul_(self.task_grad[n], p - self.before[n], value=-1)

    @torch.no_grad()
    def end_task(self) -> None:
        for n, p in self.params.items():
            moved = (p - self.start[n]).square_().add_(self.xi)
            self.omega[n].add_((self.path[n] / moved).clamp_(min=0))
            self.path[n].zero_()
            self.start[n].copy_(p)


class SineNet(nn.Module):
    def __init__(self, width: int = 24):
        super().__init__()
        self.a = nn.Linear(1, width)
        self.b = nn.Linear(width, width)
        self.c = nn.Linear(width, 1)

    def forward(self, x):
        h = torch.sin(self.a(x))
        return self.c(torch.tanh_(self.b(h)))


def piecewise_tasks(n: int):
    """Each task shows another interval of one target function."""
    edges = torch.linspace(-math.pi, math.pi, n + 1).tolist()
    target: Callable = lambda x: torch.sin(2 * x) + 0.3 * x
    for lo, hi in zip(edges, edges[1:]):
        def sample(size: int, lo=lo, hi=hi):
            x = torch.rand(size, 1) * (hi - lo) + lo
            return x, target(x)
        yield sample


def run(model, keeper, sampler, steps):
    loss = None
    for _ in range(steps):
        x, y = sampler(32)
        loss = (model(x) - y).square().mean()
        keeper.backward(loss)
        keeper.step()
    keeper.end_task()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
model = SineNet()
keeper = PathIntegral(model, torch.optim.Adam(model.parameters(), lr=5e-3))
for sampler in piecewise_tasks(3):
    print(run(model, keeper, sampler, steps=5))
