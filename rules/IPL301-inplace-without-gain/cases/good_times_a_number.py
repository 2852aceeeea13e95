"""A product with a number, or with a tensor that needs no gradient, clones nothing."""

import torch

weight = torch.randn(4, 4, requires_grad=True)
hidden = torch.randn(2, 4) @ weight
hidden.mul_(0.5)
hidden.mul_(torch.rand(2, 4))
hidden.sum().backward()
