"""The saved square root is changed through a view of it."""

import torch

variance = torch.rand(2, 3, requires_grad=True)
deviation = torch.sqrt(variance + 1e-5)
flat = deviation.view(-1)
flat += 0.1  # expect: IPL101
loss = (1.0 / deviation).sum()
loss.backward()
