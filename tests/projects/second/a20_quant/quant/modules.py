import torch
import torch.nn.functional as F
from torch import nn

from .ste import quantize


class QLinear(nn.Module):
    def __init__(self, lin):
        super().__init__()
        self.lin = lin
        self.register_buffer("act_scale", torch.ones(1))

    def observe(self, x):
        amax = x.detach().abs().max() / 7
        self.act_scale.mul_(0.9).add_(0.1 * amax)  # BUG

    def forward(self, x):
        self.observe(x)
        x = x / self.act_scale
        x = torch.tanh(x) * self.act_scale
        w = quantize(self.lin.weight, self.lin.weight.detach().abs().max() / 7)
        return F.linear(x, w, self.lin.bias)


def convert(module):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, QLinear(child))
        else:
            convert(child)
    return module
