import torch
import torch.nn as nn

from .builder import register_module
from .functions import scaled_silu, scaled_tanh


@register_module
class SwishGain(nn.Module):
    def __init__(self, gain=1.0):
        super().__init__()
        self.gain = gain

    def forward(self, x):
        return scaled_silu(x, self.gain)


@register_module
class TanhShrinkless(nn.Module):
    def __init__(self, gain=1.0):
        super().__init__()
        self.gain = gain

    def forward(self, x):
        return scaled_tanh(x, self.gain)


@register_module
class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight


class Residual(nn.Module):
    """x -> branch(x) + x, with stochastic depth."""

    def __init__(self, drop_path):
        super().__init__()
        self.drop_path = drop_path

    def branch(self, x):
        raise NotImplementedError

    def forward(self, x):
        if self.training and torch.rand(()) < self.drop_path:
            return x
        y = self.branch(x)
        y += x  # BUG
        return y
