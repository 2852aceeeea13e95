"""A weight is projected between the forward pass and the backward that needs it as it was."""

import torch

weight = torch.randn(4, 4, requires_grad=True)
scale = torch.randn(4, requires_grad=True)
x = torch.randn(3, 4)
loss = ((x @ weight) * scale).square().sum()
scale.data.clamp_(0, 1)  # expect: IPL201
loss.backward()
