import torch
import torch.nn as nn

from .common import act_, default_conv, scale_add_


class ResBlock(nn.Module):
    def __init__(self, feats, act="lrelu", res_scale=0.2):
        super(ResBlock, self).__init__()
        self.c1 = default_conv(feats, feats)
        self.c2 = default_conv(feats, feats)
        self.act, self.res_scale = act, res_scale

    def forward(self, x):
        y = self.c2(act_(self.c1(x), self.act))
        return x + y.mul_(self.res_scale)


class DenseResBlock(nn.Module):
    """Three convs, each sees all before; ends in conv without activation."""

    def __init__(self, feats, growth=4, act="lrelu", res_scale=0.2):
        super(DenseResBlock, self).__init__()
        self.c1 = default_conv(feats, growth)
        self.c2 = default_conv(feats + growth, growth)
        self.c3 = default_conv(feats + 2 * growth, feats)
        self.act, self.res_scale = act, res_scale

    def forward(self, x):
        a = act_(self.c1(x), self.act)
        b = act_(self.c2(torch.cat([x, a], 1)), self.act)
        return scale_add_(self.c3(torch.cat([x, a, b], 1)), x, 1.0 / self.res_scale).mul_(self.res_scale)


class PlainFusion(nn.Module):
    """conv-act with a weighted identity."""

    def __init__(self, feats, act="lrelu", res_scale=0.2):
        super(PlainFusion, self).__init__()
        self.c = default_conv(feats, feats)
        self.act, self.res_scale = act, res_scale

    def forward(self, x):
        y = act_(self.c(x), self.act)
        return scale_add_(y, x, self.res_scale)


BODY = {"res": ResBlock, "dense": DenseResBlock, "plain": PlainFusion}
