"""A checkpointed function reads a table that has changed when backward runs it again."""

import torch
from torch.utils.checkpoint import checkpoint

table = torch.ones(4)


def block(hidden):
    return torch.sigmoid(hidden) * table


x = torch.randn(4, requires_grad=True)
y = checkpoint(block, x * 2, use_reentrant=False)
table.add_(1)  # expect: IPL203
y.sum().backward()
