"""The result is assigned, not written through `out=`."""

import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width, width))

    def forward(self, x):
        product = torch.matmul(x, self.weight)
        return product.sum()


if __name__ == "__main__":
    Mixer(3)(torch.randn(2, 3)).backward()
