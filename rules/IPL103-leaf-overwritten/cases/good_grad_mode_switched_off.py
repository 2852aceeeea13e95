"""Frozen parameters need no gradient, and `set_grad_enabled(False)` switches recording off."""

import torch
from torch import nn

model = nn.Linear(4, 2)
with torch.set_grad_enabled(False):
    model.weight.mul_(0.5)

frozen = nn.Parameter(torch.ones(4), requires_grad=False)
frozen += 1.0
model(torch.randn(3, 4) * frozen).sum().backward()
