"""A clamp in place keeps a copy of what it clamps."""

import torch

weight = torch.randn(4, 4, requires_grad=True)
logits = torch.randn(2, 4) @ weight
logits.clamp_(-1.0, 1.0)  # expect: IPL301
logits.sum().backward()
