import torch


class Attack:
    def __init__(self, model, eps):
        self.model, self.eps = model, eps

    def project_(self, adv, x):
        adv.sub_(x).clamp_(-self.eps, self.eps).add_(x).clamp_(0, 1)
        return adv

    def grad(self, x, y):
        x = x.detach().requires_grad_(True)
        loss = torch.nn.functional.cross_entropy(self.model(x), y)
        return torch.autograd.grad(loss, x)[0]
