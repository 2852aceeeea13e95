"""Without gradients nobody asks for a derivative."""

import torch

x = torch.rand(3)
x.asinh_()
with torch.no_grad():
    y = torch.rand(3, requires_grad=True) * 2
    y.atanh_()
