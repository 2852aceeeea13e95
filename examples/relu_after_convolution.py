"""A convolution keeps its input and its weight, and the ReLU the result that it wrote itself: nothing is spoiled."""

import torch
from torch import nn

net = nn.Sequential(
    nn.Conv2d(3, 8, kernel_size=3),
    nn.ReLU(inplace=True),
    nn.Conv2d(8, 8, kernel_size=3),
    nn.ReLU(inplace=True),
)
net(torch.rand(1, 3, 8, 8)).sum().backward()
print("every weight has a gradient:", all(p.grad is not None for p in net.parameters()))
