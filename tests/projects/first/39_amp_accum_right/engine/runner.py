import torch

from .hooks import Hook
from .master import MasterWeights
from .scaler import Scaler


class Runner:
    def __init__(self, model, opt_name, lr):
        self.model = model.to(torch.bfloat16)
        self.mw = MasterWeights(self.model)
        self.opt = getattr(torch.optim, opt_name)(self.mw.master, lr=lr)
        self.scaler, self.hooks, self.it = Scaler(), [], 0

    def register_hook(self, hook: Hook):
        self.hooks.append(hook)
        self.hooks.sort(key=lambda h: h.priority)
        return self

    def call(self, name):
        for h in self.hooks:
            getattr(h, name)(self)

    def run(self, loader, loss_fn):
        for x, y in loader:
            self.call("before_iter")
            self.loss = loss_fn(self.model(x.to(torch.bfloat16)).float(), y)
            self.call("after_iter")
            self.it += 1
