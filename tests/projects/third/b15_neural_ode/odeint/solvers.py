import torch

SOLVERS = {}


def register(name):
    def deco(cls):
        SOLVERS[name] = cls
        return cls
    return deco


class FixedGridSolver:
    order = None

    def __init__(self, func, substeps=2):
        self.func = func
        self.substeps = substeps

    def step_func(self, t, dt, y):
        raise NotImplementedError

    def integrate(self, y0, t):
        out = torch.empty(len(t), *y0.shape, dtype=y0.dtype)
        sol = [y0]
        y = y0.clone()
        for t0, t1 in zip(t[:-1], t[1:]):
            dt = (t1 - t0) / self.substeps
            for k in range(self.substeps):
                dy = self.step_func(t0 + k * dt, dt, y)
                y += dy  # BUG
            sol.append(y.clone())
        del out
        return torch.stack(sol)


@register('euler')
class Euler(FixedGridSolver):
    order = 1

    def step_func(self, t, dt, y):
        return dt * self.func(t, y)


@register('midpoint')
class Midpoint(FixedGridSolver):
    order = 2

    def step_func(self, t, dt, y):
        half = 0.5 * dt
        y_mid = y + self.func(t, y) * half
        return dt * self.func(t + half, y_mid)


@register('rk4')
class RK4(FixedGridSolver):
    order = 4

    def step_func(self, t, dt, y):
        k1 = self.func(t, y)
        k2 = self.func(t + dt / 2, y + dt * k1 / 2)
        k3 = self.func(t + dt / 2, y + dt * k2 / 2)
        k4 = self.func(t + dt, y + dt * k3)
        k2.add_(k3).mul_(2)
        return (k1 + k2 + k4) * (dt / 6)


def odeint(func, y0, t, method='rk4', **options):
    if method not in SOLVERS:
        raise ValueError('unknown method %r' % method)
    return SOLVERS[method](func, **options).integrate(y0, t)
