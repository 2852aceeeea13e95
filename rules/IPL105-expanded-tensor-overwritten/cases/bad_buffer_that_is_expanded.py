"""A buffer that is registered as an expanded tensor: the first update of it raises."""

import torch
from torch import nn


class Whitening(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.register_buffer("running", torch.eye(width).expand(2, -1, -1))

    def forward(self, x):
        self.running.mul_(0.9)  # expect: IPL105
        return self.linear(x) @ self.running


if __name__ == "__main__":
    Whitening(3)(torch.ones(4, 3)).sum().backward()
