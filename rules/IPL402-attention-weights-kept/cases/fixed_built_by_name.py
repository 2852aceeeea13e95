"""The layers are looked up among the attributes of a class; that says nothing of the attention beside them."""

import torch
from torch import nn


class Sum(nn.Module):
    def forward(self, x):
        return x.sum(0)


class Mean(nn.Module):
    def forward(self, x):
        return x.mean(0)


class Known:
    sum, mean = Sum, Mean


def resolved(name):
    return vars(Known)[name]()


class Pooled(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.layers = nn.ModuleList([resolved(name) for name in names])
        self.mixing = nn.MultiheadAttention(16, 4)

    def forward(self, x):
        rows = torch.stack([layer(x) for layer in self.layers])
        mixed, _ = self.mixing(rows, rows, rows, need_weights=False)
        return mixed.mean(0)


Pooled(["sum", "mean"])(torch.randn(5, 3, 16)).sum().backward()
