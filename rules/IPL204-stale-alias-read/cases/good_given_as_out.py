"""The result is written to the name under which it is read: `out=` names it."""

import torch


def probabilities(logits, scale):
    logits = logits * scale
    exponents = logits
    torch.exp(logits, out=exponents)
    total = exponents.sum(dim=-1)
    return exponents.div_(total.unsqueeze(-1)), total
