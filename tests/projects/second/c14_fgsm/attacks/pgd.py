import torch

from .base import Attack


class PGD(Attack):
    def __init__(self, model, eps=0.1, alpha=0.03, steps=3):
        super().__init__(model, eps)
        self.alpha, self.steps = alpha, steps

    def __call__(self, x, y):
        adv = x.clone().detach()
        adv += torch.empty_like(x).uniform_(-self.eps, self.eps)
        for _ in range(self.steps):
            adv.add_(self.grad(adv, y).sign_(), alpha=self.alpha)
            self.project_(adv, x)
        return adv
