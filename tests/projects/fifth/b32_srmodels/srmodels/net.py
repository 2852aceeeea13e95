import torch.nn as nn

from .blocks import BODY
from .common import MeanShift, Upsampler, default_conv


class SRNet(nn.Module):
    """Super-resolution net. args: body='res'|'dense'|'plain', act='lrelu'|'relu'|'elu'."""

    def __init__(self, scale=2, feats=6, n_blocks=2, body="res", mean=(0.45, 0.44, 0.40), **block_args):
        super(SRNet, self).__init__()
        self.sub_mean = MeanShift(mean)
        self.add_mean = MeanShift(mean, 1)
        self.head = default_conv(3, feats)
        self.body = nn.Sequential(*[BODY[body](feats, **block_args) for _ in range(n_blocks)])
        self.fuse = default_conv(feats, feats)
        self.tail = nn.Sequential(Upsampler(scale, feats), default_conv(feats, 3))

    def forward(self, x):
        x = self.head(self.sub_mean(x))
        res = self.fuse(self.body(x))
        res += x
        return self.add_mean(self.tail(res))
