import math
import torch
import torch.nn as nn
from .head import Detect


class Conv(nn.Module):
    def __init__(self, c1, c2, k=3, s=2):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, k // 2, bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = nn.SiLU(inplace=True)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


def initialize_weights(model):
    for m in model.modules():
        if type(m) is nn.BatchNorm2d:
            m.eps = 1e-3
            m.momentum = 0.03
        elif type(m) is nn.Conv2d and m.bias is not None:
            m.bias.data.zero_()


class Model(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        w = cfg['width']
        self.b1, self.b2, self.b3 = Conv(3, w), Conv(w, w * 2), Conv(w * 2, w * 4)
        self.detect = Detect(cfg['nc'], cfg['anchors'], (w * 2, w * 4))
        self.detect.stride = torch.tensor([4., 8.])
        self.detect.anchors /= self.detect.stride.view(-1, 1, 1)
        initialize_weights(self)
        self._initialize_biases()

    def _initialize_biases(self, cf=None):
        # https://arxiv.org/abs/1708.02002 section 3.3
        for mi, s in zip(self.detect.m, self.detect.stride):
            b = mi.bias.view(self.detect.na, -1)
            b[:, 4] += math.log(8 / (64 / s) ** 2)  # BUG
            b[:, 5:] += math.log(0.6 / (self.detect.nc - 0.99)) if cf is None else torch.log(cf / cf.sum())
            mi.bias = nn.Parameter(b.view(-1), requires_grad=True)

    def forward(self, x):
        p2 = self.b2(self.b1(x))
        p3 = self.b3(p2)
        return self.detect([p2, p3])
