"""Addition saves nothing, so its operand may change."""

import torch

a = torch.ones(3, requires_grad=True)
b = 2 * a
c = b + 2
b += 1
(c.sum() + b.sum()).backward()
