import torch

from qat.builder import ObserverFactory
from qat.configs import CONFIGS
from qat.data import toy_batches
from qat.layers import QuantNet
from qat.train import QATRunner


def main(name="w8a4"):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = CONFIGS[name]
    factory = ObserverFactory(cfg["observers"])
    net = QuantNet(cfg["widths"], factory)
    runner = QATRunner(net, cfg)
    runner.fit(toy_batches(cfg["widths"][0], cfg["widths"][-1], n=14))
    print("loss", runner.history[0], "->", runner.history[-1])


if __name__ == "__main__":
    main()
