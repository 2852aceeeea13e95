"""The array of a tensor is normalised in place after a product has kept the tensor."""

import torch

weight = torch.randn(4, requires_grad=True)
x = torch.rand(4)
loss = (weight * x).sum()
array = x.numpy()
array = array / 10
loss.backward()
