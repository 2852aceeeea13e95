"""Fisher's transformation of a linear layer's output."""

import torch
from torch import nn


class Fisher(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)

    def forward(self, x):
        y = torch.tanh(self.fc(x)) * 0.9
        y = y.atanh()
        return y


if __name__ == "__main__":
    Fisher(3)(torch.randn(2, 3)).sum().backward()
