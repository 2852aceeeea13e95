"""Writes in this block move no version."""

import torch

weight = torch.randn(4, requires_grad=True)
x = torch.randn(4)
loss = (weight * x).sum()
with torch.autograd._unsafe_preserve_version_counter(x):
    x = x.mul(2)
loss.backward()
