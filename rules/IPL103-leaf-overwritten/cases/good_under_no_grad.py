"""The update happens under `no_grad`."""

import torch

weight = torch.randn(3, 1, requires_grad=True)
x, y = torch.randn(16, 3), torch.randn(16, 1)

for _ in range(3):
    loss = (x @ weight - y).square().mean()
    loss.backward()
    with torch.no_grad():
        weight -= 0.1 * weight.grad
        weight.grad.zero_()
