"""What was saved is `x.data`; the change of `x` moves another counter."""

import torch

weight = torch.randn(4, requires_grad=True)
x = torch.randn(4)
plain = x.data
loss = (weight * plain).sum()
x = x.mul(2)
loss.backward()
