from torch import nn

from .functional import scale_by
from .layers import RMSNorm, ScaleNorm


class PreNorm(nn.Module):
    def __init__(self, dim, fn, norm=RMSNorm):
        super().__init__()
        self.norm, self.fn = norm(dim), fn

    def forward(self, x, **kw):
        return x + self.fn(self.norm(x), **kw)


class SandwichNorm(nn.Module):
    """norm -> linear -> norm, with a residual gain that starts small."""

    def __init__(self, dim):
        super().__init__()
        self.inner, self.outer = RMSNorm(dim), ScaleNorm(dim)
        self.fc = nn.Linear(dim, dim)
        self.gain = 0.1

    def forward(self, x):
        h = self.outer(self.fc(self.inner(x)))
        return x + h * self.gain
