import torch


class Plugin:
    """Override any of the events."""

    def evaluated(self, problem, loss):
        pass

    def round_end(self, problem):
        pass


class Constraint(Plugin):
    """Keeps one named parameter feasible."""

    def __init__(self, name):
        self.name = name

    def project_(self, p):
        raise NotImplementedError

    @torch.no_grad()
    def apply(self, problem):
        self.project_(getattr(problem.model, self.name))


class Box(Constraint):
    def __init__(self, name, lo, hi):
        super().__init__(name)
        self.lo, self.hi = lo, hi

    def project_(self, p):
        p.clamp_(self.lo, self.hi)  # BUG

    def evaluated(self, problem, loss):
        self.apply(problem)


class UnitSum(Constraint):
    def project_(self, p):
        p.clamp_(min=1e-3)
        p.div_(p.sum())

    def round_end(self, problem):
        self.apply(problem)


class Trace(Plugin):
    def __init__(self):
        self.values = []

    def evaluated(self, problem, loss):
        self.values.append(loss.item())
