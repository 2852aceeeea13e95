"""A step by hand, after the backward that needed the weights."""

import torch

weight = torch.randn(4, requires_grad=True)
for _ in range(3):
    weight.grad = None
    (weight * torch.randn(4)).square().sum().backward()
    weight.data -= 0.1 * weight.grad
