"""The targets are picked, and copied by that, before the frames are masked in place; a slice is taken behind it."""

import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.encoder = nn.Linear(width, width)
        self.token = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        frames = self.encoder(x)
        kept = frames
        hidden = torch.rand(frames.shape[:2]) < 0.5
        targets = kept[hidden]
        frames[hidden] = self.token
        return (frames[hidden] - targets).pow(2).mean(), kept[:1]
