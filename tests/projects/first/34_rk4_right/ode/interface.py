import torch

from .adjoint import AdjointFn
from .steppers import get_stepper


def odeint(f, y0, ts, method="rk4"):
    step = get_stepper(method)
    out = torch.empty(len(ts), *y0.shape)
    out[0] = y0
    y = y0
    for i in range(1, len(ts)):
        y = step(f, ts[i - 1], ts[i] - ts[i - 1], y)
        out[i] = y
    return out


def odeint_adjoint(f, y0, t0, t1, n=5):
    params = tuple(f.parameters())
    return AdjointFn.apply(f, y0, t0, t1, n, *params)
