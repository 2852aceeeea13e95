"""Small helpers for nested state (dicts / lists / tuples of tensors)."""
import torch


def tree_map(fn, tree):
    if isinstance(tree, dict):
        return {k: tree_map(fn, v) for k, v in tree.items()}
    if isinstance(tree, list):
        return [tree_map(fn, v) for v in tree]
    if torch.is_tensor(tree):
        return fn(tree)
    return tree


def tree_leaves(tree):
    if torch.is_tensor(tree):
        yield tree
    elif isinstance(tree, dict):
        for v in tree.values():
            yield from tree_leaves(v)
    elif isinstance(tree, (list, tuple)):
        for v in tree:
            yield from tree_leaves(v)


def tree_detach(tree):
    return tree_map(lambda t: t.detach(), tree)


def tree_norm(tree):
    return sum(t.detach().pow(2).sum().item() for t in tree_leaves(tree)) ** 0.5
