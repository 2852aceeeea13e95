import math

import torch


def clip_gradients(model, clip):
    norms = []
    for _, p in model.named_parameters():
        if p.grad is not None:
            n = p.grad.data.norm(2)
            norms.append(n.item())
            coef = clip / (n + 1e-6)
            if coef < 1:
                p.grad.data.mul_(coef)
    return norms


def cancel_last_layer(epoch, model, freeze):
    if epoch >= freeze:
        return
    for n, p in model.named_parameters():
        if n.startswith("head"):
            p.grad = None


def cosine(base, final, n):
    return [final + 0.5 * (base - final) * (1 + math.cos(math.pi * i / n)) for i in range(n)]


def random_mask(b, n, p=0.3):
    m = torch.rand(b, n) < p
    m[:, 0] = False
    return m
