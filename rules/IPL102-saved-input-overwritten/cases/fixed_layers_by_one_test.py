"""A shortcut without layers is the input itself."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, inner, outer):
        super().__init__()
        layers = []
        if inner != outer:
            layers.append(nn.Conv2d(inner, outer, 1))
        self.shortcut = nn.Sequential(*layers)
        self.conv = nn.Conv2d(inner, outer, 3, padding=1)

    def forward(self, x):
        shortcut = self.shortcut(x)
        y = self.conv(x)
        shortcut = shortcut + y
        return shortcut


def main():
    x = torch.randn(1, 3, 4, 4, requires_grad=True)
    Block(3, 3)(x * 2).sum().backward()


if __name__ == "__main__":
    main()
