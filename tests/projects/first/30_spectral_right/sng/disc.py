import torch
import torch.nn as nn

from .norm import sn


class ProjectionD(nn.Module):
    def __init__(self, classes=3, ch=8):
        super().__init__()
        self.c1 = sn(nn.Conv2d(1, ch, 3, padding=1))
        self.c2 = sn(nn.Conv2d(ch, ch, 3, stride=2, padding=1))
        self.fc = sn(nn.Linear(ch, 1))
        self.emb = sn(nn.Embedding(classes, ch))
        self.act = nn.ReLU(inplace=True)

    def forward(self, x, y):
        h = self.act(self.c1(x))
        h = self.act(self.c2(h)).sum((2, 3))
        out = self.fc(h)
        out += (self.emb(y) * h).sum(1, keepdim=True)
        return out
