"""A layer that keeps its weight positive by clamping it in `forward`."""

import torch
import torch.nn.functional as F
from torch import nn


class PositiveLinear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(outputs, inputs))

    def forward(self, x):
        with torch.no_grad():
            self.weight.clamp_(min=0.0)
        return F.linear(x, self.weight)


if __name__ == "__main__":
    PositiveLinear(4, 2)(torch.randn(3, 4)).sum().backward()
