"""The result is written over the values that are read later, under their own name: `out=` names another."""

import torch


def energies(logits, scale):
    logits = logits * scale
    exponents = logits
    torch.exp(logits, out=exponents)
    return exponents - logits  # expect: IPL204
