"""autocontrast of an image that requires a gradient, as in an attack or a learned augmentation."""

import torch
from torchvision.transforms.v2.functional import autocontrast

image = torch.rand(3, 8, 8, requires_grad=True)
autocontrast(image).sum().backward()
