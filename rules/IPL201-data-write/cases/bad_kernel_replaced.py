"""A convolution keeps its kernel itself, so that backward finds the new one."""

import torch
import torch.nn.functional as F

kernel = torch.randn(2, 2, 3, 3, requires_grad=True)
image = torch.randn(1, 2, 5, 5, requires_grad=True)
loss = F.conv2d(image, kernel).square().sum()
kernel.data = kernel.data * 2  # expect: IPL201
loss.backward()
