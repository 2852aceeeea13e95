"""The out-of-place forms have derivatives."""

import torch

x = torch.rand(3, requires_grad=True)
(torch.acosh(1 + 2 * x) + x.asinh()).sum().backward()
