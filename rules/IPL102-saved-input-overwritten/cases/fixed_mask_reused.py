"""A product saves its plain factor too: the mask may not be cleared before backward."""

import torch
from torch import nn


def masked_loss(model, x, mask):
    out = model(x) * mask
    mask = mask.clone()
    mask.zero_()
    return out.sum()


if __name__ == "__main__":
    masked_loss(nn.Linear(4, 2), torch.randn(3, 4), torch.ones(3, 2)).backward()
