import torch.nn as nn

from .layers import MemoryEfficientSwish, SqueezeExcite

_BLOCKS = {}


def register_block(cls):
    _BLOCKS[cls.__name__.lower()] = cls
    return cls


def build_block(kind, *args, **kwargs):
    return _BLOCKS[kind](*args, **kwargs)


@register_block
class MBConv(nn.Module):
    def __init__(self, ch, expand=2):
        super().__init__()
        mid = ch * expand
        self.pw = nn.Conv2d(ch, mid, 1)
        self.dw = nn.Conv2d(mid, mid, 3, padding=1, groups=mid)
        self.se = SqueezeExcite(mid)
        self.proj = nn.Conv2d(mid, ch, 1)
        self.act = MemoryEfficientSwish()

    def forward(self, x):
        y = self.act(self.pw(x))
        y = self.se(self.act(self.dw(y)))
        return x + self.proj(y)


@register_block
class DenseMB(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.act = MemoryEfficientSwish()

    def forward(self, x):
        h = self.conv1(x)
        y = self.conv2(self.act(h))
        h += y  # BUG
        return h
