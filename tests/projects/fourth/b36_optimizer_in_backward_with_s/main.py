import torch

from fused.config import RunConfig
from fused.data import pairs
from fused.losses import LossSuite
from fused.model import TwoHeadNet
from fused.optim import OPTIMIZERS
from fused.strategy import STRATEGIES


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = RunConfig.parse("optimizer=in_backward strategy=separate lr=0.02 steps=9 momentum=0.8")
    model = TwoHeadNet(6, 16)
    opt = OPTIMIZERS[cfg.optimizer](model, cfg)
    strategy = STRATEGIES[cfg.strategy](opt)
    suite = LossSuite({"value": 1.0, "sign": 0.5, "l2": 1e-3})
    for step, batch in enumerate(pairs(cfg.steps, 16, 6)):
        logs = strategy.apply(suite.terms(model, batch))
        if step % 3 == 0:
            print(step, {k: round(v, 4) for k, v in logs.items()})


if __name__ == "__main__":
    main()
