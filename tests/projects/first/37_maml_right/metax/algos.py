import copy
from abc import ABC, abstractmethod

import torch
import torch.nn as nn
import torch.nn.functional as F


class MetaAlgo(ABC):
    def __init__(self, net, inner_lr=0.02, outer_lr=1e-3, steps=2):
        self.net, self.inner_lr, self.outer_lr, self.steps = net, inner_lr, outer_lr, steps

    @abstractmethod
    def outer(self, tasks):
        ...


class MAML(MetaAlgo):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.log_lr = nn.ParameterDict({n.replace(".", "_"): torch.full((), self.inner_lr).log()
                                        for n, _ in self.net.named_parameters()})
        self.opt = torch.optim.Adam([*self.net.parameters(), *self.log_lr.parameters()], self.outer_lr)

    def inner(self, x, y):
        fast = dict(self.net.named_parameters())
        for _ in range(self.steps):
            loss = F.mse_loss(self.net.functional(x, fast), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
            fast = {n: w - self.log_lr[n.replace(".", "_")].exp() * g
                    for (n, w), g in zip(fast.items(), grads)}
        return fast

    def outer(self, tasks):
        total = torch.zeros(())
        for (xs, ys), (xq, yq) in tasks:
            total += F.mse_loss(self.net.functional(xq, self.inner(xs, ys)), yq)
        total /= len(tasks)
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return total.item()


class Reptile(MetaAlgo):
    def outer(self, tasks):
        acc = [torch.zeros_like(p) for p in self.net.parameters()]
        last = 0.0
        for (x, y), _ in tasks:
            clone = copy.deepcopy(self.net)
            opt = torch.optim.SGD(clone.parameters(), self.inner_lr)
            for _ in range(self.steps):
                loss = F.mse_loss(clone(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
            last += loss.item()
            for a, p, q in zip(acc, self.net.parameters(), clone.parameters()):
                a += q.data - p.data
        for p, a in zip(self.net.parameters(), acc):
            p.data.add_(a, alpha=0.5 / len(tasks))
        return last / len(tasks)


class FirstOrder(MetaAlgo):
    """Steps the net itself, puts the weights back, then applies the query gradient."""

    def outer(self, tasks):
        params = list(self.net.parameters())
        start = [p.detach().clone() for p in params]
        acc = [torch.zeros_like(p) for p in params]
        for (xs, ys), (xq, yq) in tasks:
            for _ in range(self.steps):
                g = torch.autograd.grad(F.mse_loss(self.net(xs), ys), params)
                with torch.no_grad():
                    for p, gi in zip(params, g):
                        p -= self.inner_lr * gi
            q = F.mse_loss(self.net(xq), yq)
            for a, gi in zip(acc, torch.autograd.grad(q, params)):
                a += gi
            with torch.no_grad():
                for p, s in zip(params, start):
                    p.copy_(s)
        with torch.no_grad():
            for p, a in zip(params, acc):
                p.sub_(self.outer_lr * a / len(tasks))
        return q.item()
