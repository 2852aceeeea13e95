from dataclasses import dataclass

import torch
import torch.nn.functional as F


@dataclass
class State:
    epoch: int = 0
    step: int = 0
    loss: float = 0.0


class Trainer:
    def __init__(self, model, cfg, callbacks):
        self.model, self.cfg = model, cfg
        self.callbacks = callbacks
        self.state = State()
        self.opt = torch.optim.SGD(model.parameters(), lr=cfg.lr, momentum=0.9)

    def emit(self, event, **kw):
        for cb in self.callbacks:
            fn = getattr(cb, event, None)
            if fn is not None:
                fn(self, **kw)

    def fit(self, loader):
        for self.state.epoch in range(self.cfg.epochs):
            for x, y in loader:
                self.train_batch(x, y)
            self.emit("on_epoch_end")

    def train_batch(self, x, y):
        out = self.model(x)
        loss = F.cross_entropy(out, y)
        self.emit("on_forward_end", output=out)
        self.opt.zero_grad()
        loss.backward()
        self.emit("on_backward_end")
        self.opt.step()
        self.state.loss = loss.item()
        self.state.step += 1
        self.emit("on_batch_end")
