"""Flattening a transposed tensor copies: its elements do not lie one after the other."""

import torch

x = torch.zeros(3, 2)
x.t().reshape(-1).add_(1)  # expect: IPL206
assert not x.any()
x.reshape(-1).add_(1)
assert x.all()
