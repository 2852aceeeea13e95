import torch.nn as nn

from .functions import swish


class MemoryEfficientSwish(nn.Module):
    def forward(self, x):
        return swish(x)


class SqueezeExcite(nn.Module):
    def __init__(self, ch, r=4):
        super().__init__()
        self.reduce = nn.Conv2d(ch, ch // r, 1)
        self.expand = nn.Conv2d(ch // r, ch, 1)
        self.act = MemoryEfficientSwish()

    def forward(self, x):
        s = x.mean((2, 3), keepdim=True)
        s = self.expand(self.act(self.reduce(s)))
        return x * s.sigmoid()
