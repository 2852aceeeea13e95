import abc

import torch


class BaseTrainer(abc.ABC):
    """Template: subclasses and mixins override the hooks, never ``train_one``."""

    def __init__(self, model, args):
        self.model, self.args = model, args
        self.opt = self.make_optimizer()
        self.iteration = 0
        self.history = []

    def make_optimizer(self):
        return torch.optim.SGD(self.model.parameters(), lr=self.args.lr, momentum=0.9)

    @abc.abstractmethod
    def criterion(self, out, y):
        ...

    def before_iter(self):
        pass

    def after_forward(self, out):
        return out

    def after_backward(self):
        pass

    def after_iter(self):
        self.iteration += 1

    @property
    def current_lr(self):
        return self.opt.param_groups[0]["lr"]

    def train_one(self, x, y):
        self.before_iter()
        out = self.after_forward(self.model(x))
        loss = self.criterion(out, y)
        self.opt.zero_grad()
        loss.backward()
        self.after_backward()
        self.opt.step()
        self.history.append(loss.item())
        self.after_iter()

    def fit(self, loader, epochs):
        for _ in range(epochs):
            for x, y in loader:
                self.train_one(x, y)
