"""A product is written into a buffer that was made once, while the factors need gradients."""

import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width))
        self.register_buffer("workspace", torch.zeros(2, width))

    def forward(self, x):
        self.workspace = torch.matmul(x, self.weight)
        return self.workspace.sum()


if __name__ == "__main__":
    Mixer(3)(torch.randn(2, 3)).backward()
