import torch

from fitlib.constraints import Box, UnitSum
from fitlib.models import MixtureOfExponentials
from fitlib.problem import Problem
from fitlib.solvers import make_solver

SETTINGS = {"solver": "lbfgs", "rounds": 4, "options": {"max_iter": 6, "history_size": 5}}


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    t = torch.linspace(0, 4, 60)
    y = 0.7 * torch.exp(-0.5 * t) + 0.3 * torch.exp(-2.0 * t)
    y += 0.01 * torch.randn_like(y)
    model = MixtureOfExponentials(2)
    problem = Problem(model, t, y, plugins=[Box("rates", 0.05, 5.0), UnitSum("weights")])
    solver = make_solver(SETTINGS["solver"], problem, **SETTINGS["options"])
    for r in range(SETTINGS["rounds"]):
        print(r, f"{solver.solve():.6f}")
    print(model.describe())


if __name__ == "__main__":
    main()
