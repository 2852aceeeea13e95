"""A loop of unknown length makes the layers, or else they are given one by one: the list is empty in neither case."""

import torch
from torch import nn


class Upsampling(nn.Module):
    def __init__(self, channels, times, large):
        super().__init__()
        layers = []
        if large:
            layers += [nn.Conv2d(channels, 9 * channels, 3, padding=1), nn.PixelShuffle(3)]
        else:
            for _ in range(times):
                layers += [nn.Conv2d(channels, 4 * channels, 3, padding=1), nn.PixelShuffle(2)]
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x)


class Network(nn.Module):
    def __init__(self, times, large):
        super().__init__()
        self.head = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(inplace=True))
        self.up = Upsampling(8, times, large)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.relu(self.up(self.head(x)))


def main():
    for large in (True, False):
        Network(2, large)(torch.randn(1, 3, 4, 4)).sum().backward()


if __name__ == "__main__":
    main()
