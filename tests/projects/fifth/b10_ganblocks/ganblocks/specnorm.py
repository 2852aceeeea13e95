"""Spectral normalisation as a mixin for linear-like layers."""
import torch
import torch.nn.functional as F
from torch import nn


def l2normalize(v, eps=1e-12):
    return v / (v.norm() + eps)


class SpectralNormMixin:
    def init_sn(self, n_iter=1, eps=1e-12):
        self.n_iter, self.sn_eps = n_iter, eps
        rows = self.weight.shape[0]
        self.register_buffer("u", l2normalize(torch.randn(rows)))
        self.register_buffer("v", l2normalize(torch.randn(self.weight.numel() // rows)))

    def sn_weight(self):
        w = self.weight.flatten(1)
        u, v = self.u, self.v
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_iter):
                    v.copy_(l2normalize(torch.mv(w.t(), u), self.sn_eps))
                    u.copy_(l2normalize(torch.mv(w, v), self.sn_eps))  # BUG
        sigma = torch.dot(u, torch.mv(w, v))
        return self.weight / sigma


class SNConv2d(SpectralNormMixin, nn.Conv2d):
    def __init__(self, *args, n_iter=1, **kwargs):
        nn.Conv2d.__init__(self, *args, **kwargs)
        self.init_sn(n_iter)

    def forward(self, x):
        return F.conv2d(x, self.sn_weight(), self.bias, self.stride, self.padding, self.dilation, self.groups)


class SNLinear(SpectralNormMixin, nn.Linear):
    def __init__(self, *args, n_iter=1, **kwargs):
        nn.Linear.__init__(self, *args, **kwargs)
        self.init_sn(n_iter)

    def forward(self, x):
        return F.linear(x, self.sn_weight(), self.bias)
