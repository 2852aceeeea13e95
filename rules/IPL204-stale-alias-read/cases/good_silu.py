"""The argument is evaluated before the change."""

import torch

x = torch.linspace(-2, 2, 5)
wanted = torch.nn.functional.silu(x)
x.mul_(torch.sigmoid(x))
assert torch.allclose(x, wanted)
