import argparse

import torch

from metax import algos
from metax.nets import Regressor


def tasks(n, k=5):
    out = []
    for _ in range(n):
        a, b = torch.randn(2)
        x = torch.randn(2, k, 1)
        y = a * x + b
        out.append(((x[0], y[0]), (x[1], y[1])))
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--algos", nargs="+", default=["MAML", "Reptile", "FirstOrder"])
    args = ap.parse_args()
    torch.manual_seed(0)
    for name in args.algos:
        algo = getattr(algos, name)(Regressor())
        for _ in range(2):
            print(name, algo.outer(tasks(3)))
