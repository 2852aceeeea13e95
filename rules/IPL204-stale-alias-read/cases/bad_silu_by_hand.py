"""Meant as SiLU, it is the square of the sigmoid."""

import torch

x = torch.linspace(-2, 2, 5)
wanted = torch.nn.functional.silu(x)
y = x.sigmoid_() * x  # expect: IPL204
assert not torch.allclose(y, wanted)
