"""A row that requires grad by itself is a leaf, though it is a view: it is not written, nor is a part of it."""

import torch

images = torch.randn(2, 4)
image = images[0]
image.requires_grad_()
with torch.no_grad():
    image[1:].clamp_(-1, 1)
