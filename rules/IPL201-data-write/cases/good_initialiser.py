"""Weights are written before anything has used them."""

import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.fc.weight.data.normal_(0, 0.02)
        self.fc.bias.data = torch.zeros(width)

    def forward(self, x):
        return torch.tanh(self.fc(x))


if __name__ == "__main__":
    Scaled(4)(torch.randn(2, 4)).sum().backward()
