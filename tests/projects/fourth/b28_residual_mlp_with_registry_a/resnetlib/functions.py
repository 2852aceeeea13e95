"""Activations with hand-written backward passes."""
import torch


class _ScaledSiLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gain):
        ctx.save_for_backward(x)
        ctx.gain = gain
        return x.sigmoid().mul_(x).mul_(gain)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        s = x.sigmoid()
        return g * ctx.gain * (s * (1 + x * (1 - s))), None


class _ScaledTanh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, gain):
        y = x.tanh().mul_(gain)
        ctx.save_for_backward(y)
        ctx.gain = gain
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (ctx.gain - y * y / ctx.gain), None


def scaled_silu(x, gain=1.0):
    return _ScaledSiLU.apply(x, gain)


def scaled_tanh(x, gain=1.0):
    return _ScaledTanh.apply(x, gain)
