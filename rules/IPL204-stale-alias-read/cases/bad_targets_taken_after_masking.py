"""The targets are taken from the frames after a helper has masked these in place: they hold the mask as well."""

import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.encoder = nn.Linear(width, width)
        self.token = nn.Parameter(torch.zeros(width))

    def hide(self, frames, hidden):
        frames[hidden] = self.token
        return frames

    def forward(self, x):
        frames = self.encoder(x)
        targets = frames
        hidden = torch.rand(frames.shape[:2]) < 0.5
        guessed = self.hide(frames, hidden)
        return (guessed[hidden] - targets[hidden]).pow(2).mean()  # expect: IPL204
