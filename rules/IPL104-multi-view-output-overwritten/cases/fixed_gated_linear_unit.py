"""A gated linear unit that multiplies one half in place."""

import torch
from torch import nn


class GatedLinear(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, 2 * width)

    def forward(self, x):
        value, gate = self.proj(x).chunk(2, dim=-1)
        value = value * torch.sigmoid(gate)
        return value


if __name__ == "__main__":
    GatedLinear(4)(torch.randn(2, 4)).sum().backward()
