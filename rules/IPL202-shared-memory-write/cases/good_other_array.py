"""What is written is what arithmetic has made: another array."""

import torch

weight = torch.randn(4, requires_grad=True)
x = torch.rand(4)
loss = (weight * x).sum()
shown = x.numpy() * 255
shown += 1
loss.backward()
