from abc import ABC, abstractmethod

SOLVERS = {}


class FixedGridSolver(ABC):
    def __init_subclass__(cls, name=None, **kw):
        super().__init_subclass__(**kw)
        if name:
            SOLVERS[name] = cls

    def __init__(self, func, y0):
        self.func, self.y0 = func, y0

    @abstractmethod
    def increment(self, t, dt, y):
        ...

    def integrate(self, ts):
        y = self.y0.clone()
        traj = [self.y0]
        for t0, t1 in zip(ts[:-1], ts[1:]):
            y += self.increment(t0, t1 - t0, y)  # BUG
            traj.append(y.clone())
        return traj


class Euler(FixedGridSolver, name="euler"):
    def increment(self, t, dt, y):
        return dt * self.func(t, y)


class Midpoint(FixedGridSolver, name="midpoint"):
    def increment(self, t, dt, y):
        half = 0.5 * dt
        return dt * self.func(t + half, y + half * self.func(t, y))
