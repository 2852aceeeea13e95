"""The smallest case: `**` saved `b`, and `b` moves on."""

import torch

a = torch.ones(3, requires_grad=True)
b = 2 * a
c = b**2
b = b + 1
c.sum().backward()
