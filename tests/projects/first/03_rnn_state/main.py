import torch

from lm.config import TrainConfig
from lm.data import batchify, toy
from lm.engine import Engine
from lm.model import LanguageModel


def main():
    torch.manual_seed(0)
    cfg = TrainConfig()
    model = LanguageModel(cfg.model)
    eng = Engine(model, cfg)
    src = batchify(toy(cfg.model.vocab), cfg.batch)
    for ep in range(2):
        print(ep, eng.epoch(src))


main()
