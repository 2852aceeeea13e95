"""The hyperbolic distance with an acosh in place, which has no derivative."""

import torch

x = torch.rand(3, requires_grad=True)
distance = 1 + 2 * x
distance.acosh_()  # expect: IPL302
distance.sum().backward()
