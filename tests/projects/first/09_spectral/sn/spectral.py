import torch
import torch.nn as nn
import torch.nn.functional as F


def l2n(v, eps=1e-12):
    return v / (v.norm() + eps)


class SNMixin:
    n_power = 1

    def init_sn(self):
        w = self.weight.flatten(1)
        self.register_buffer("u", l2n(torch.randn(w.size(0))))
        self.register_buffer("v", l2n(torch.randn(w.size(1))))

    def sn_weight(self):
        w = self.weight.flatten(1)
        if self.training:
            with torch.no_grad():
                for _ in range(self.n_power):
                    self.v.copy_(l2n(w.t() @ self.u))
                    self.u.copy_(l2n(w @ self.v))  # BUG
        sigma = torch.dot(self.u, w @ self.v)
        return self.weight / sigma


class SNLinear(SNMixin, nn.Linear):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_sn()

    def forward(self, x):
        return F.linear(x, self.sn_weight(), self.bias)


class SNConv2d(SNMixin, nn.Conv2d):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.init_sn()

    def forward(self, x):
        return F.conv2d(x, self.sn_weight(), self.bias, self.stride, self.padding)
