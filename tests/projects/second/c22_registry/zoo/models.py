from torch import nn

from .mixins import GatedMixin, ResidualMixin
from .registry import register


@register
class Plain(ResidualMixin, nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d, d), nn.ReLU(inplace=True), nn.Linear(d, d))

    def forward(self, x):
        return self.residual(x, self.f(x))


@register(name="gated")
class Gated(GatedMixin, ResidualMixin, nn.Module):
    def __init__(self, d):
        super().__init__()
        self.v, self.g = nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        y = self.v(x) * self.gate(self.g(x))
        return self.residual(x, y)
