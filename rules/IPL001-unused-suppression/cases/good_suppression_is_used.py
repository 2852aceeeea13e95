"""The comments silence findings that are there."""

import torch

x = torch.ones(3, requires_grad=True)
y = torch.sigmoid(x)
y += 1  # inplace-lint: ignore[IPL101]

z = torch.tanh(x)
z += 1  # inplace-lint: ignore[saved-result-overwritten]

try:
    (y + z).sum().backward()
except RuntimeError as error:
    print(error)
