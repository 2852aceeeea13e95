"""An addition keeps nothing: its result may change."""

import torch

weight = torch.randn(4, requires_grad=True)
y = weight + 1
y.data.clamp_(min=0)
y.sum().backward()
