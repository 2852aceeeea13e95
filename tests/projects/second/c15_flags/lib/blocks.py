import torch
from torch import nn

from .acts import make_act


class Block(nn.Module):
    inplace_scale = False

    def __init__(self, d, act, scale=0.5):
        super().__init__()
        self.fc = nn.Linear(d, d)
        self.act = make_act(act, inplace=act != "sig")
        self.scale = scale

    def forward(self, x):
        y = self.act(self.fc(x))
        if self.inplace_scale:
            return y.mul_(self.scale)
        return y * self.scale
