import torch

from .inner import adapt


class Reptile:
    def __init__(self, net, loss_fn, eps=0.1):
        self.net, self.loss_fn, self.eps = net, loss_fn, eps

    def step(self, tasks):
        acc = [torch.zeros_like(p) for p in self.net.parameters()]
        for t in tasks:
            fast = adapt(self.net, t, self.loss_fn, 0.05, 3)
            for a, f, p in zip(acc, fast.parameters(), self.net.parameters()):
                a.add_(f.detach() - p.detach())
        with torch.no_grad():
            for p, a in zip(self.net.parameters(), acc):
                p.add_(a, alpha=self.eps / len(tasks))
