import torch


def symmetrise(p):
    return 0.5 * (p + p.transpose(-1, -2))


def jitter_(p, eps=1e-4):
    p.diagonal(dim1=-2, dim2=-1).add_(eps)  # BUG
    return p
