import torch
import torch.nn.functional as F


class Attack:
    def __init__(self, model, eps=0.1):
        self.model, self.eps = model, eps

    def loss(self, x, y):
        return F.cross_entropy(self.model(x), y)

    def perturb(self, x, y):
        raise NotImplementedError


class PGD(Attack):
    def __init__(self, model, eps=0.1, alpha=0.03, steps=3):
        super().__init__(model, eps)
        self.alpha, self.steps = alpha, steps

    def perturb(self, x, y):
        lo, hi = (x - self.eps).clone(), (x + self.eps).clone()
        adv = x.detach()
        for _ in range(self.steps):
            probe = adv.clone().requires_grad_(True)
            (g,) = torch.autograd.grad(self.loss(probe, y), probe)
            adv.add_(self.alpha * g.sign())  # BUG
            torch.max(torch.min(adv, hi), lo, out=adv)
        return adv


class FGSM(Attack):
    def perturb(self, x, y):
        probe = x.clone().requires_grad_(True)
        (g,) = torch.autograd.grad(self.loss(probe, y), probe)
        return x + self.eps * g.sign()


ATTACKS = {"pgd": PGD, "fgsm": FGSM}
