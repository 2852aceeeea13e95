import torch
import torch.nn as nn

from .head import Detect


class ConvBNAct(nn.Module):
    def __init__(self, ci, co, s=1):
        super().__init__()
        self.conv = nn.Conv2d(ci, co, 3, s, 1, bias=False)
        self.bn = nn.BatchNorm2d(co)
        self.act = nn.SiLU(inplace=True)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Model(nn.Module):
    def __init__(self, nc=2, anchors=((4, 4, 8, 8), (12, 12, 20, 20))):
        super().__init__()
        self.b1 = ConvBNAct(3, 8, 2)
        self.b2 = ConvBNAct(8, 16, 2)
        self.head = Detect(nc, anchors, (8, 16))
        self.head.stride = torch.tensor([2.0, 4.0])

    def forward(self, x):
        a = self.b1(x)
        b = self.b2(a)
        return self.head([a, b])
