"""Plain data may be written into a buffer."""

import torch
from torch import nn

images = torch.rand(4, 3)
buffer = torch.empty(4, 3)
torch.sub(images, images.mean(), out=buffer)
torch.clamp(buffer, -1.0, 1.0, out=buffer)
nn.Linear(3, 1)(buffer).sum().backward()
