"""The result of a sigmoid is clamped through `.data`, and its gradient is computed from the clamped values."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        y = torch.sigmoid(self.proj(x))
        y.data.clamp_(min=0.6)  # expect: IPL201
        return y


if __name__ == "__main__":
    Gate(4)(torch.randn(3, 4)).sum().backward()
