"""Memory lean activations as custom autograd functions."""
import torch
from torch.autograd import Function


class SwishFn(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        d = x.mul_(1 - s).add_(1).mul_(s)  # BUG
        return grad * d


class HardSwishFn(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * (x + 3).clamp_(0, 6).div_(6)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        d = torch.where(x < -3, torch.zeros_like(x), torch.where(x <= 3, x / 3 + 0.5, torch.ones_like(x)))
        return d.mul_(grad)


class MishFn(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.mul(torch.tanh(torch.nn.functional.softplus(x)))

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        t = torch.tanh(torch.nn.functional.softplus(x))
        d = (1 - t * t).mul_(x).mul_(s).add_(t)
        return d.mul_(grad)


swish = SwishFn.apply
hard_swish = HardSwishFn.apply
mish = MishFn.apply
