"""The storage of a saved tensor is reused while backward still needs it."""

import torch

weight = torch.randn(4, requires_grad=True)
batch = torch.randn(4)
loss = (weight * batch).sum()
batch.untyped_storage().fill_(0)  # expect: IPL201
loss.backward()
