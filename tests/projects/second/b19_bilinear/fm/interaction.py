import torch


def fm(e):
    s = e.sum(1)
    return 0.5 * (s.pow(2) - e.pow(2).sum(1))


def cross(e):
    s = e.sum(1)
    sq = s.square_()
    return sq - (e * e).sum(1)


def inner(e):
    return torch.einsum("bfd,bgd->bd", e, e)


INTERACTIONS = {f.__name__: f for f in (fm, cross, inner)}


def make_interaction(name):
    return INTERACTIONS[name]
