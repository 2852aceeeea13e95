import json

import torch

from sparse.callbacks import make_callbacks
from sparse.engine import Engine
from sparse.masked import SparseMLP
from sparse.pruner import GradualPruner

CFG = json.loads("""
{
  "dims": [8, 24, 24, 4],
  "optim": {"lr": 0.02, "momentum": 0.9},
  "accumulate": 3,
  "batches": 15,
  "pruner": {"final": 0.6, "begin": 1, "end": 12, "every": 1},
  "callbacks": ["prune", "mask_grads", "meter"]
}
""")


def batches(n, d_in, classes):
    w = torch.randn(d_in, classes)
    for _ in range(n):
        x = torch.randn(10, d_in)
        yield x, (x @ w).argmax(1)


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = SparseMLP(CFG["dims"])
    pruner = GradualPruner(model, **CFG["pruner"])
    engine = Engine(model, CFG, make_callbacks(CFG["callbacks"], pruner))
    engine.run(batches(CFG["batches"], CFG["dims"][0], CFG["dims"][-1]))
    print("sparsity", round(pruner.sparsity(), 3))


if __name__ == "__main__":
    main()
