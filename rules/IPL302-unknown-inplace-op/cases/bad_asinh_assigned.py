"""A compressed amplitude."""

import torch

amplitude = torch.randn(4, requires_grad=True) * 10
compressed = amplitude.asinh_()  # expect: IPL302
compressed.sum().backward()
