import torch

from flat.callbacks import CallbackList, DeadUnitReset, LossPrinter
from flat.model import build_mlp
from flat.optim import FlatAdam
from flat.trainer import Trainer

OPTIONS = dict(dims=[5, 20, 20, 1], lr=0.01, reset_every=4, threshold=0.05, steps=12)


def teacher_batches(n, dim):
    w = torch.randn(dim)
    for _ in range(n):
        x = torch.randn(24, dim)
        y = (x @ w).sin_()
        yield x, y


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = build_mlp(OPTIONS["dims"])
    callbacks = CallbackList([
        DeadUnitReset(every=OPTIONS["reset_every"], threshold=OPTIONS["threshold"]),
        LossPrinter(4),
    ])
    trainer = Trainer(model, FlatAdam(model.flat, lr=OPTIONS["lr"]), callbacks)
    trainer.fit(teacher_batches(OPTIONS["steps"], OPTIONS["dims"][0]))


if __name__ == "__main__":
    main()
