import functools

import torch


def _closure(opt, problem):
    opt.zero_grad()
    loss = problem.evaluate()
    loss.backward()
    return loss


class Solver:
    def __init__(self, problem):
        self.problem = problem

    def run_round(self):
        raise NotImplementedError

    def solve(self):
        value = self.run_round()
        self.problem.notify("round_end")
        return value


class LBFGSSolver(Solver):
    def __init__(self, problem, **options):
        super().__init__(problem)
        self.opt = torch.optim.LBFGS(problem.model.parameters(), line_search_fn="strong_wolfe", **options)
        self.closure = functools.partial(_closure, self.opt, problem)

    def run_round(self):
        return float(self.opt.step(self.closure))


class AdamSolver(Solver):
    def __init__(self, problem, lr=1e-2, max_iter=50, **_):
        super().__init__(problem)
        self.opt = torch.optim.Adam(problem.model.parameters(), lr=lr)
        self.max_iter = max_iter

    def run_round(self):
        for _ in range(self.max_iter):
            loss = _closure(self.opt, self.problem)
            self.opt.step()
        return loss.item()


def make_solver(kind, problem, **options):
    return {"lbfgs": LBFGSSolver, "adam": AdamSolver}[kind](problem, **options)
