"""The copy is changed, the saved softmax is not."""

import torch


def drop_smallest(logits):
    weights = torch.softmax(logits, dim=-1)
    kept = weights.clone()
    kept[weights < 0.2] = 0.0
    return kept / kept.sum(dim=-1, keepdim=True)


logits = torch.randn(4, 3, requires_grad=True)
drop_smallest(logits).square().sum().backward()
