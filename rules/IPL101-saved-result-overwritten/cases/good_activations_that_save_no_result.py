"""GELU, SiLU and leaky ReLU keep their input, not their result: the result is free to change."""

import torch
import torch.nn.functional as F
from torch import nn


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.a = nn.Linear(width, width)
        self.b = nn.Linear(width, width)
        self.c = nn.Linear(width, width)

    def forward(self, x):
        y = F.gelu(self.a(x))
        y += x
        z = F.silu(self.b(y))
        z *= 0.5
        w = F.leaky_relu(self.c(z), 0.1)
        w += z
        return w


if __name__ == "__main__":
    Mixer(6)(torch.randn(4, 6)).sum().backward()
