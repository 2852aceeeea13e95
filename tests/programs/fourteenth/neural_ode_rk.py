from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Callable

import torch
from torch import Tensor, nn

Dynamics = Callable[[float, Tensor], Tensor]


class Solver(ABC):
    """Explicit one-step integrators on a uniform grid."""

    def __init__(self, steps: int):
        self.steps = steps

    @abstractmethod
    def increment(self, f: Dynamics, t: float, y: Tensor, dt: float) -> Tensor: ...

    def integrate(self, f: Dynamics, y0: Tensor, t0: float = 0.0, t1: float = 1.0) -> Tensor:
        dt = (t1 - t0) / self.steps
        y, t = y0.clone(), t0
        for _ in range(self.steps):
            y += self.increment(f, t, y, dt)  # BUG
            t += dt
        return y


class Euler(Solver):
    def increment(self, f, t, y, dt):
        return dt * f(t, y)


class Heun(Solver):
    def increment(self, f, t, y, dt):
        k1 = f(t, y)
        k2 = f(t + dt, y + dt * k1)
        return dt / 2 * (k1 + k2)


class RK4(Solver):
    def increment(self, f, t, y, dt):
        k1 = f(t, y)
        k2 = f(t + dt / 2, y + dt / 2 * k1)
        k3 = f(t + dt / 2, y + dt / 2 * k2)
        k4 = f(t + dt, y + dt * k3)
        return dt / 6 * (k1 + 2 * (k2 + k3) + k4)


SOLVERS: dict[str, type[Solver]] = {cls.__name__.lower(): cls for cls in (Euler, Heun, RK4)}


class TimeConditionedField(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.first = nn.Linear(dim, hidden)
        self.time = nn.Linear(1, hidden, bias=False)
        self.second = nn.Linear(hidden, dim)
        self.evaluations = 0

    def forward(self, t: float, y: Tensor) -> Tensor:
        self.evaluations += 1
        bias = self.time(y.new_full((1, 1), t))
        return self.second(torch.tanh(self.first(y) + bias))


class ODEClassifier(nn.Module):
    def __init__(self, d_in: int, augment: int, classes: int, solver: str = "rk4", steps: int = 3):
        super().__init__()
        self.augment = augment
        self.field = TimeConditionedField(d_in + augment, 24)
        self.solver = SOLVERS[solver](steps)
        self.head = nn.Linear(d_in + augment, classes)

    def forward(self, x: Tensor) -> Tensor:
        y0 = nn.functional.pad(x, (0, self.augment))
        return self.head(self.solver.integrate(self.field, y0))


def circles(n: int) -> tuple[Tensor, Tensor]:
    label = torch.randint(0, 2, (n,))
    angle = 2 * torch.pi * torch.rand(n)
    r = 0.5 + label + 0.1 * torch.randn(n)
    return torch.stack([r * angle.cos(), r * angle.sin()], 1), label


# --- driver ---
torch.manual_seed(1)
net = ODEClassifier(2, augment=1, classes=2)
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for _ in range(3):
    x, y = circles(32)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item(), net.field.evaluations)
