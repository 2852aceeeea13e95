import torch
from torch import nn

from .functional import rms, scale_by


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * rms(x, self.eps) * self.g


class ScaleNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.g = nn.Parameter(torch.full((1,), dim**0.5))

    def forward(self, x):
        n = x.norm(dim=-1, keepdim=True).clamp(min=self.eps)
        return scale_by(x, self.g / n)
