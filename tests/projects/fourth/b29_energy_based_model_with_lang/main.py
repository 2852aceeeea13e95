import torch

from ebm.buffer import SampleBuffer
from ebm.config import load
from ebm.energy import EnergyNet
from ebm.samplers import build_sampler
from ebm.trainer import EBMTrainer

CONFIG = """
sampler.kind = bounded_langevin
sampler.steps = 4
sampler.step_size = 0.1
sampler.noise = 0.02
sampler.bound = 2.0
buffer.size = 64
buffer.fresh = 0.1
train.iters = 8
train.batch = 16
train.lr = 0.002
"""


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    cfg = load(CONFIG)
    net = EnergyNet(2, 24)
    sampler = build_sampler(cfg["sampler"])
    buf = SampleBuffer(dim=2, **cfg["buffer"])
    EBMTrainer(net, sampler, buf, **cfg["train"]).run()


if __name__ == "__main__":
    main()
