import torch
import torch.nn.functional as F

from .perturb import AWP, FreeNoise, linf_pgd


class Base:
    def __init__(self, model, lr=0.05, batch=4, eps=0.1):
        self.model, self.eps = model, eps
        self.opt = torch.optim.SGD(model.parameters(), lr, momentum=0.9)
        self.setup(batch)

    def setup(self, batch):
        pass


class Free(Base):
    repeats = 2

    def setup(self, batch):
        self.noise = FreeNoise((batch, 1, 8, 8), self.eps, self.eps / 2)

    def step(self, x, y):
        for _ in range(self.repeats):
            loss = F.cross_entropy(self.model(self.noise.apply(x)), y)
            self.opt.zero_grad()
            loss.backward()
            self.noise.step()
            self.opt.step()
        return loss.item()


class Weight(Base):
    def setup(self, batch):
        self.awp = AWP(self.model)

    def step(self, x, y):
        adv = x + linf_pgd(self.model, x, y, self.eps, 0.03, 2)
        probe = F.cross_entropy(self.model(adv), y)
        self.awp.perturb(torch.autograd.grad(probe, list(self.model.parameters())))
        loss = F.cross_entropy(self.model(adv), y)
        self.opt.zero_grad()
        loss.backward()
        self.awp.restore()
        self.opt.step()
        return loss.item()
