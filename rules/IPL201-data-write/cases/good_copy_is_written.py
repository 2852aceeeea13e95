"""The memory that is written is a copy's."""

import torch

weight = torch.randn(4, requires_grad=True)
y = torch.sigmoid(weight)
shown = y.data.clone()
shown.clamp_(min=0.6)
y.sum().backward()
