import torch

from .solvers import SOLVERS


def odeint(func, y0, t, method="euler"):
    solver = SOLVERS[method](func, y0)
    return torch.stack(solver.integrate(t))
