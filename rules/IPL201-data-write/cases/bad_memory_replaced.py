"""`x.data = …` gives a saved tensor other memory."""

import torch

mask = torch.ones(4)
weight = torch.randn(4, requires_grad=True)
loss = (weight * mask).sum()
mask.data = torch.zeros(4)  # expect: IPL201
loss.backward()
