from dataclasses import dataclass

import torch
import torch.nn as nn

from engine.hooks import EMAHook, Meter, OptimizerHook
from engine.runner import Runner


@dataclass
class Cfg:
    optimizer: str = "SGD"
    lr: float = 0.1
    accum: int = 2
    clip: float = 1.0


def main(cfg=Cfg()):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(inplace=True), nn.Linear(16, 3))
    meter = Meter()
    r = Runner(net, cfg.optimizer, cfg.lr)
    r.register_hook(EMAHook()).register_hook(OptimizerHook(cfg.accum, cfg.clip)).register_hook(meter)
    r.run([(torch.randn(8, 6), torch.randint(0, 3, (8,))) for _ in range(6)], nn.CrossEntropyLoss())
    print(meter.total.item())


if __name__ == "__main__":
    main()
