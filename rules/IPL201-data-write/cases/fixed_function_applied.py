"""`apply_` changes the data and leaves the version alone."""

import torch

weight = torch.randn(4, requires_grad=True)
noise = torch.rand(4)
loss = (weight * noise).sum()
noise = noise.clone()
noise.apply_(lambda value: round(value))
loss.backward()
