import math

import torch
import torch.nn.functional as F
from torch import nn


class EqualLinear(nn.Module):
    def __init__(self, in_dim, out_dim, bias_init=0.0, lr_mul=1.0, activation=None):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(out_dim, in_dim).div_(lr_mul))
        self.bias = nn.Parameter(torch.zeros(out_dim).fill_(bias_init))
        self.scale = lr_mul / math.sqrt(in_dim)
        self.lr_mul, self.activation = lr_mul, activation

    def forward(self, x):
        out = F.linear(x, self.weight * self.scale, self.bias * self.lr_mul)
        if self.activation:
            out = F.leaky_relu_(out, 0.2)
        return out


class ModulatedConv2d(nn.Module):
    def __init__(self, cin, cout, k, style_dim, demodulate=True, upsample=False):
        super().__init__()
        self.cin, self.cout, self.k = cin, cout, k
        self.weight = nn.Parameter(torch.randn(1, cout, cin, k, k))
        self.scale = 1 / math.sqrt(cin * k * k)
        self.modulation = EqualLinear(style_dim, cin, bias_init=1.0)
        self.demodulate, self.upsample = demodulate, upsample
        self.eps = 1e-8

    def _weights(self, style):
        s = self.modulation(style).view(-1, 1, self.cin, 1, 1)
        w = self.scale * self.weight * s
        if self.demodulate:
            d = torch.rsqrt(w.pow(2).sum([2, 3, 4], keepdim=True) + self.eps)
            w *= d  # BUG
        return w

    def forward(self, x, style):
        b, c, h, wd = x.shape
        w = self._weights(style).view(b * self.cout, c, self.k, self.k)
        if self.upsample:
            x = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
            h, wd = h * 2, wd * 2
        out = F.conv2d(x.reshape(1, b * c, h, wd), w, padding=self.k // 2, groups=b)
        return out.view(b, self.cout, h, wd)


class NoiseInjection(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, x, noise=None):
        if noise is None:
            noise = x.new_empty(x.size(0), 1, *x.shape[2:]).normal_()
        return x + self.weight * noise
