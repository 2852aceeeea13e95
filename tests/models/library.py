"""A library as torch runs it, which the linter does not see: what it does is declared in `test_library.py`."""

import torch
from torch import nn


class _Silu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad * (s + x * s * (1 - s))


class _Tanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.tanh(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (1 - y * y)


def silu(x):
    return _Silu.apply(x)


def tanh(x):
    return _Tanh.apply(x)


def fill(x, value=0.0):
    return x.fill_(value)


def scale_second(scale, x):
    x.mul_(scale)


def scale_all(tensors, scale):
    for tensor in tensors:
        tensor.mul_(scale)


def kernel(x):
    x.detach().numpy()[...] *= 2


def flat(x):
    return x.view(-1)


def halves(x):
    return x * 2, x.view(-1)


@torch.no_grad()
def norm(x):
    return float(x.norm())


def copied(x):
    return x.detach().clone().mul_(2)


def first(*tensors):
    return tensors[0].mul_(2)


class Swish(nn.Module):
    def forward(self, x):
        return silu(x)

    def reset(self, x):
        x.zero_()


class InplaceRelu(nn.Module):
    def forward(self, x):
        return x.relu_()


class Scale(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.weight


class Cache:
    def __init__(self, size):
        self.size = size

    def update(self, x):
        x.add_(self.size)
        return x
