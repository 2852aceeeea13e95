"""Scoring functions of knowledge graph embedding models."""
import torch

SCORERS = {}


def scorer(fn):
    SCORERS[fn.__name__] = fn
    return fn


@scorer
def distmult(h, r, ents):
    return (h * r) @ ents.t()


@scorer
def transe(h, r, ents):
    d = (h + r).unsqueeze(1) - ents.unsqueeze(0)
    return d.abs_().sum(-1).neg_()


@scorer
def complex_(h, r, ents):
    hr, hi = h.chunk(2, -1)
    rr, ri = r.chunk(2, -1)
    er, ei = ents.chunk(2, -1)
    out = (hr * rr - hi * ri) @ er.t()
    out += (hr * ri + hi * rr) @ ei.t()
    return out
