import random

import torch


def flat(grads, params):
    return torch.cat([(torch.zeros_like(p) if g is None else g).reshape(-1) for g, p in zip(grads, params)])


def write_back(vec, params):
    o = 0
    for p in params:
        n = p.numel()
        g = vec[o:o + n].view_as(p)
        if p.grad is None:
            p.grad = g.clone()
        else:
            p.grad.copy_(g)
        o += n


def pcgrad(grads):
    proj = [g.clone() for g in grads]
    for i, gi in enumerate(proj):
        order = list(range(len(grads)))
        random.shuffle(order)
        for j in order:
            if j == i:
                continue
            gj = grads[j]
            dot = torch.dot(gi, gj)
            if dot < 0:
                gi -= dot / (gj.norm() ** 2 + 1e-12) * gj
    return torch.stack(proj).sum(0)


def agem(g, ref):
    dot = torch.dot(g, ref)
    if dot < 0:
        g.sub_(ref, alpha=(dot / torch.dot(ref, ref)).item())
    return g


class GradStore:
    """columns of past task gradients"""

    def __init__(self, numel, tasks):
        self.G = torch.zeros(numel, tasks)

    def put(self, t, vec):
        self.G[:, t].copy_(vec)

    def mean(self, upto):
        return self.G[:, :upto].mean(1)
