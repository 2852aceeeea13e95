"""A linear layer keeps a transposed view of its weight, which has the old memory still."""

import torch
import torch.nn.functional as F

weight = torch.randn(4, 4, requires_grad=True)
x = torch.randn(3, 4, requires_grad=True)
loss = F.linear(x, weight).square().sum()
weight.data = weight.data * 2
loss.backward()
