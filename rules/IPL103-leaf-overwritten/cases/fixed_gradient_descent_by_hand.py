"""A training loop that updates its parameters while gradients are recorded."""

import torch

weight = torch.randn(3, 1, requires_grad=True)
bias = torch.zeros(1, requires_grad=True)
x, y = torch.randn(16, 3), torch.randn(16, 1)

loss = (x @ weight + bias - y).square().mean()
loss.backward()
with torch.no_grad():
    weight -= 0.1 * weight.grad
