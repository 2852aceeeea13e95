"""Layers that enlarge an image, made for the scales that there are: none of them leaves the list empty."""

import math

import torch
from torch import nn


class Upsampling(nn.Module):
    def __init__(self, channels, scale):
        super().__init__()
        layers = []
        if scale == 2 or scale == 4:
            for _ in range(int(math.log(scale, 2))):
                layers += [nn.Conv2d(channels, 4 * channels, 3, padding=1), nn.PixelShuffle(2)]
        elif scale == 3:
            layers += [nn.Conv2d(channels, 9 * channels, 3, padding=1), nn.PixelShuffle(3)]
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x)


class Network(nn.Module):
    def __init__(self, **options):
        super().__init__()
        scale = options.get("scale")
        self.head = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(inplace=True))
        self.up = Upsampling(8, scale)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.up(self.head(x)))


def main():
    for scale in (2, 3, 4):
        Network(scale=scale)(torch.randn(1, 3, 4, 4)).sum().backward()


if __name__ == "__main__":
    main()
