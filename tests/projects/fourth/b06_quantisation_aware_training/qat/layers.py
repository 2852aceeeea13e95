import torch
import torch.nn as nn
import torch.nn.functional as F

from .fakequant import fake_quant


class QuantLinear(nn.Module):
    def __init__(self, d_in, d_out, factory, relu=True):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(d_out, d_in))
        self.bias = nn.Parameter(torch.zeros(d_out))
        nn.init.kaiming_uniform_(self.weight, a=5 ** 0.5)
        self.w_obs = factory("weight")
        self.a_obs = factory("act")
        self.relu = relu

    def forward(self, x):
        x = fake_quant(x, self.a_obs)
        w = fake_quant(self.weight, self.w_obs)
        y = F.linear(x, w, self.bias)
        return F.relu_(y) if self.relu else y


class QuantNet(nn.Module):
    def __init__(self, widths, factory):
        super().__init__()
        last = len(widths) - 2
        self.layers = nn.ModuleList(
            QuantLinear(a, b, factory, relu=i < last) for i, (a, b) in enumerate(zip(widths, widths[1:])))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def observers(self):
        for layer in self.layers:
            yield layer.w_obs
            yield layer.a_obs
