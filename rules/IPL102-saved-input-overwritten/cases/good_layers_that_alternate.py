"""Every other layer works in place, each on what the one before it has made."""

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(depth):
            self.layers.append(nn.Conv1d(4, 4, 1))
            self.layers.append(nn.ReLU(True))
        self.layers.append(nn.Conv1d(4, 1, 1))

    def forward(self, x, mask):
        for layer in self.layers:
            x = layer(x)
            if isinstance(layer, nn.Conv1d):
                x *= mask
        return x


if __name__ == "__main__":
    Head()(torch.randn(2, 4, 3), torch.ones(3)).sum().backward()
