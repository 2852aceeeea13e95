"""One name, changed and read: what is meant is plain."""

import torch

x = torch.rand(3)
x.add_(1)
y = x * x
q = k = x
assert torch.equal(q * k, y)
