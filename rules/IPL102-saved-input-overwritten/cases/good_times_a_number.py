"""A product with a number, or with a tensor that needs no gradient, does not keep the other factor."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.register_buffer("scale", torch.ones(width))

    def forward(self, x):
        h = self.fc(x)
        half = h * 0.5
        scaled = h * self.scale
        h += 1.0
        return half + scaled + h


if __name__ == "__main__":
    Scaled(4)(torch.randn(2, 4)).sum().backward()
