"""A residual block that adds its shortcut to the ReLU's output in place."""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        out = F.relu(self.norm(self.conv(x)), inplace=True)
        out = out + x
        return out


if __name__ == "__main__":
    Block(4)(torch.randn(2, 4, 8, 8)).mean().backward()
