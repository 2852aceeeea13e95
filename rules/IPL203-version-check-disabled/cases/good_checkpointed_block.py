"""Nothing is saved after the change: running again stops before it."""

import torch
from torch.utils.checkpoint import checkpoint


def loss_of(x):
    def block(hidden):
        gate = torch.sigmoid(hidden)
        gate += 1
        return gate

    return checkpoint(block, x * 2, use_reentrant=False).sum()


loss_of(torch.randn(4, requires_grad=True)).backward()
