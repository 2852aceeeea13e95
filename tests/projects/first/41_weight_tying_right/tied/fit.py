import torch


class Fit:
    def __init__(self, model, crit, opt):
        self.model, self.crit, self.opt = model, crit, opt

    def closure(self, x, y):
        def run():
            self.opt.zero_grad()
            loss = self.crit(self.model(x).flatten(0, 1), y.flatten()) / y.ne(0).sum()
            loss.backward()
            self.model.emb.weight.grad[self.model.pad].zero_()
            return loss
        return run

    def epoch(self, loader):
        for x, y in loader:
            loss = self.opt.step(self.closure(x, y))
            self.model.renorm()
            yield loss.item()
