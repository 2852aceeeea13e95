import torch


class Regularizer(object):
    def __init__(self, model, lam):
        self.model, self.lam = model, lam

    @property
    def params(self):
        return {n: p for n, p in self.model.named_parameters() if p.requires_grad}

    def penalty(self):
        raise NotImplementedError

    def observe(self, loss):
        pass

    def consolidate(self):
        pass


class OnlineEWC(Regularizer):
    def __init__(self, model, lam=1., gamma=0.95):
        super(OnlineEWC, self).__init__(model, lam)
        self.gamma = gamma
        self.anchor, self.fisher = {}, None

    def observe(self, loss):
        """running estimate of the diagonal fisher from the current batch"""
        names, ps = zip(*self.params.items())
        grads = torch.autograd.grad(loss, ps, retain_graph=True)
        if self.fisher is None:
            self.fisher = {n: g.pow(2) for n, g in zip(names, grads)}
            return
        for n, g in zip(names, grads):
            self.fisher[n].mul_(self.gamma).addcmul_(g, g, value=1 - self.gamma)  # BUG

    def consolidate(self):
        for n, p in self.params.items():
            self.anchor[n] = p.detach().clone()

    def penalty(self):
        if not self.anchor:
            return torch.zeros(())
        total = 0
        for n, p in self.params.items():
            total = total + (self.fisher[n] * (p - self.anchor[n]) ** 2).sum()
        return 0.5 * self.lam * total
