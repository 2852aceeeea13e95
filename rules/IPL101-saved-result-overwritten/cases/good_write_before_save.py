"""Changing the input of a sigmoid before it runs is harmless: it saves its result alone."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        y = self.proj(x)
        y += self.bias
        return torch.sigmoid(y)


if __name__ == "__main__":
    Gate(8)(torch.randn(4, 8)).sum().backward()
