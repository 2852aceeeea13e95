import math

import torch
import torch.nn.functional as F
from torch import nn


class AAMSoftmax(nn.Module):
    def __init__(self, d, k, m=0.2, s=30.0):
        super().__init__()
        self.w = nn.Parameter(torch.randn(k, d))
        self.cm, self.sm, self.s = math.cos(m), math.sin(m), s

    def forward(self, x, y):
        cos = F.linear(F.normalize(x), F.normalize(self.w))
        sin = (1 - cos * cos).clamp_(0, 1).sqrt()
        phi = cos * self.cm - sin * self.sm
        hot = torch.zeros_like(cos)
        hot.scatter_(1, y[:, None], 1)
        out = hot * phi + (1 - hot) * cos
        out *= self.s
        return F.cross_entropy(out, y)
