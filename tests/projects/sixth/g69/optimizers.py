import copy

import torch


def get_flat(params):
    return torch.cat([p.detach().reshape(-1) for p in params])


def get_flat_grad(params):
    return torch.cat([p.grad.reshape(-1) for p in params])


def set_flat(params, vec):
    o = 0
    for p in params:
        p.data.copy_(vec[o:o + p.numel()].view_as(p))
        o += p.numel()


class SVRG:
    def __init__(self, model, lr):
        self.model, self.lr = model, lr
        self.snap = copy.deepcopy(model)
        self.mu = None

    def snapshot(self, full_loss):
        self.snap.load_state_dict(self.model.state_dict())
        self.snap.zero_grad()
        full_loss(self.snap).backward()
        self.mu = [p.grad.detach().clone() for p in self.snap.parameters()]

    def step(self, batch_loss):
        self.model.zero_grad()
        self.snap.zero_grad()
        loss = batch_loss(self.model)
        loss.backward()
        batch_loss(self.snap).backward()
        with torch.no_grad():
            for p, q, m in zip(self.model.parameters(), self.snap.parameters(), self.mu):
                d = p.grad.sub_(q.grad).add_(m)
                p.sub_(d, alpha=self.lr)
        return loss.item()


class FlatLBFGS:
    def __init__(self, params, history=5):
        self.params, self.history = list(params), history
        self.S, self.Y = [], []

    def direction(self, g):
        q = g.clone()
        al = []
        for s, y in zip(reversed(self.S), reversed(self.Y)):
            a = s.dot(q) / y.dot(s)
            q.sub_(y, alpha=a.item())
            al.append(a)
        if self.S:
            q.mul_(self.S[-1].dot(self.Y[-1]) / self.Y[-1].dot(self.Y[-1]))
        for s, y, a in zip(self.S, self.Y, reversed(al)):
            q.add_(s, alpha=(a - y.dot(q) / y.dot(s)).item())
        return q.neg_()

    def step(self, closure):
        loss = closure()
        g, x0 = get_flat_grad(self.params), get_flat(self.params)
        d = self.direction(g)
        t, slope = 1.0 if self.S else 0.1, g.dot(d)
        for _ in range(10):
            set_flat(self.params, x0 + t * d)
            new = closure()
            if new <= loss + 1e-4 * t * slope:
                break
            t *= 0.5
        y = get_flat_grad(self.params) - g
        s = t * d
        if y.dot(s) > 1e-8:
            self.S.append(s)
            self.Y.append(y)
            if len(self.S) > self.history:
                del self.S[0], self.Y[0]
        return loss.item()
