"""A class token is expanded over the batch and scaled in place."""

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, x):
        token = (self.token * self.scale).expand(x.shape[0], -1, -1)
        token = token.mul(0.5)
        return torch.cat([token, x], dim=1)


if __name__ == "__main__":
    Encoder(4)(torch.randn(3, 2, 4)).sum().backward()
