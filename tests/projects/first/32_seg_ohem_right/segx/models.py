import torch
import torch.nn as nn
import torch.nn.functional as F

from .registry import MODELS


class Attention(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.q, self.k, self.v = (nn.Conv2d(ch, ch, 1) for _ in range(3))
        self.gamma = nn.Parameter(torch.zeros(1))

    def forward(self, x, pad=None):
        b, c, h, w = x.shape
        q, k, v = (f(x).flatten(2) for f in (self.q, self.k, self.v))
        e = q.transpose(1, 2) @ k
        e /= c ** 0.5
        if pad is not None:
            e.masked_fill_(pad.flatten(1).unsqueeze(1), -1e9)
        out = v @ e.softmax(-1).transpose(1, 2)
        return self.gamma * out.view(b, c, h, w) + x


@MODELS.register()
class FCN(nn.Module):
    def __init__(self, ch=8, classes=3):
        super().__init__()
        self.c1, self.bn = nn.Conv2d(1, ch, 3, padding=1), nn.BatchNorm2d(ch)
        self.att = Attention(ch)
        self.out, self.aux = nn.Conv2d(ch, classes, 1), nn.Conv2d(ch, classes, 1)

    def forward(self, x, pad=None):
        f = F.relu_(self.bn(self.c1(x)))
        g = self.att(f, pad)
        return self.out(g), self.aux(f)
