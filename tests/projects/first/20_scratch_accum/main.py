from types import SimpleNamespace

import torch

from fusion.model import FusionNet
from fusion.trainer import Trainer

cfg = SimpleNamespace(lr=1e-3, accum=2, d=6, classes=3)


def loader(n):
    for _ in range(n):
        yield torch.randn(8, cfg.d), torch.randint(0, cfg.classes, (8,))


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(FusionNet(cfg.d, cfg.classes), cfg).fit(loader(4))
    print("done")
