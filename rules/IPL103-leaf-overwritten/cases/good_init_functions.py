"""The functions of `torch.nn.init` switch gradients off themselves."""

import torch
from torch import nn


class Bilinear(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.kernel = nn.Parameter(torch.empty(width, width))
        self.bias = nn.Parameter(torch.empty(width))
        nn.init.kaiming_uniform_(self.kernel)
        nn.init.zeros_(self.bias)

    def forward(self, x):
        return x @ self.kernel + self.bias


if __name__ == "__main__":
    Bilinear(4)(torch.randn(2, 4)).sum().backward()
