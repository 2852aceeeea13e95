import torch


def pairwise_sq(a, b):
    d = a.pow(2).sum(1, keepdim=True) - 2 * a @ b.t() + b.pow(2).sum(1)
    return d.clamp(min=1e-12)


def cdist(a, b):
    return pairwise_sq(a, b).sqrt()


def cosine(a, b):
    a = a / a.norm(dim=1, keepdim=True)
    b = b / b.norm(dim=1, keepdim=True)
    return 1 - a @ b.t()
