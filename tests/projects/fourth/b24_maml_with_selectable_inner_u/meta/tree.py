"""Minimal helpers for {name: tensor} dictionaries."""
import torch


def clone(tree):
    return {k: v.clone() for k, v in tree.items()}


def zeros_like(tree):
    return {k: torch.zeros_like(v) for k, v in tree.items()}


def grad(loss, tree, create_graph=False):
    keys = list(tree)
    gs = torch.autograd.grad(loss, [tree[k] for k in keys], create_graph=create_graph)
    return dict(zip(keys, gs))


def sub(a, b, scale=1.0):
    return {k: a[k] - scale * b[k] for k in a}


def axpy_(a, x, y):
    """y <- a * x + y, key by key."""
    for k in y:
        y[k].add_(x[k], alpha=a)  # BUG
    return y


def scale_(tree, c):
    for v in tree.values():
        v.mul_(c)
    return tree
