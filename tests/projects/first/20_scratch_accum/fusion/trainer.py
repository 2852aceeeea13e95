import torch
import torch.nn.functional as F

from .accumulate import Accumulator


class Trainer:
    def __init__(self, model, cfg):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
        self.acc = Accumulator(cfg.accum)

    def fit(self, loader):
        for x, y in loader:
            loss = F.cross_entropy(self.model(x), y)
            if self.acc.add(loss):
                self.opt.zero_grad()
                self.acc.pop().backward()
                self.opt.step()
