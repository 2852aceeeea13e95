"""A view of a leaf is written, which changes the leaf."""

import torch

codebook = torch.randn(8, 4, requires_grad=True)
first = codebook[:2]
with torch.no_grad():
    first.zero_()
