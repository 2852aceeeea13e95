import math

import torch
from torch import nn


def soft_one_hot(r, start, end, number):
    values = torch.linspace(start, end, number, device=r.device, dtype=r.dtype)
    step = values[1] - values[0]
    diff = (r[..., None] - values) / step
    return diff.pow_(2).neg_().exp_().div_(1.12)


class BesselBasis(nn.Module):
    def __init__(self, r_max, num=8, trainable=True):
        super().__init__()
        w = math.pi * torch.arange(1, num + 1, dtype=torch.get_default_dtype())
        if trainable:
            self.weights = nn.Parameter(w)
        else:
            self.register_buffer("weights", w)
        self.r_max = r_max

    def forward(self, r):
        num = torch.sin(self.weights * r[..., None] / self.r_max)
        return math.sqrt(2.0 / self.r_max) * num / r[..., None]


class PolyCutoff(nn.Module):
    def __init__(self, r_max, p=6.0):
        super().__init__()
        self.r_max, self.p = r_max, p

    def forward(self, r):
        u = r / self.r_max
        p = self.p
        out = 1.0 - ((p + 1) * (p + 2) / 2) * u ** p
        out += p * (p + 2) * u ** (p + 1)
        out -= (p * (p + 1) / 2) * u ** (p + 2)
        return out * (u < 1)
