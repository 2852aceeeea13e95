import torch


class ASGD:
    """SGD with tail averaging."""

    def __init__(self, params, lr, start=2):
        self.params = list(params)
        self.lr, self.start, self.t = lr, start, 0
        self.avg = [p.detach().clone() for p in self.params]

    def zero_grad(self):
        for p in self.params:
            if p.grad is not None:
                p.grad.detach_()
                p.grad.zero_()

    def step(self):
        self.t += 1
        with torch.no_grad():
            for p, a in zip(self.params, self.avg):
                if p.grad is None:
                    continue
                p.sub_(self.lr * p.grad)
                if self.t > self.start:
                    a.add_((p - a) / (self.t - self.start))
                else:
                    a.copy_(p)

    def swap(self):
        for p, a in zip(self.params, self.avg):
            tmp = p.data.clone()
            p.data.copy_(a)
            a.copy_(tmp)
