"""A gate whose bias is added in place after the sigmoid."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        scores = y * x
        y = y + self.bias
        return scores + y


if __name__ == "__main__":
    gate = Gate(8)
    gate(torch.randn(4, 8)).sum().backward()
