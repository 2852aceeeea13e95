"""The exponent is learned: pow saves its result for the exponent's gradient."""

import torch
from torch import nn


class Sharpened(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.sharpness = nn.Parameter(torch.ones(width))
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        weights = torch.pow(torch.sigmoid(self.linear(x)), 1 + 0.5 * self.sharpness)
        weights = weights.masked_fill(weights < 0.1, 0.1)
        return weights


torch.manual_seed(0)
Sharpened(4)(torch.randn(3, 4)).sum().backward()
