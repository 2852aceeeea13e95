"""The layers come from one of two lists: whichever it is, the last of them makes a tensor of its own."""

from collections import OrderedDict

import torch
from torch import nn
from torch.nn import functional as F


class Activation(nn.Module):
    def forward(self, x):
        return F.leaky_relu(x, inplace=True)


class Head(nn.Module):
    def __init__(self, channels):
        super().__init__()
        if len(channels) == 2:
            layers = [
                ("conv1", nn.Conv1d(4, channels[0], 1)),
                ("act", Activation()),
                ("conv2", nn.Conv1d(channels[0], channels[1], 1)),
            ]
        else:
            layers = [("conv1", nn.Conv1d(4, channels[0], 1))]
        self.layers = nn.Sequential(OrderedDict(layers))
        self.shortcut = nn.Conv1d(4, channels[-1], 1)

    def forward(self, x):
        shortcut = self.shortcut(x)
        out = self.layers(x)
        out.add_(shortcut)
        return out


if __name__ == "__main__":
    for channels in ([4], [4, 2]):
        Head(channels)(torch.randn(2, 4, 3)).sum().backward()
