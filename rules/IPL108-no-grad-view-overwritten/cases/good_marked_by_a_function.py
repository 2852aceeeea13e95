"""What a custom Function marks as not differentiable requires no grad, though it is a view."""

import torch


class Nearest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        depth = x.abs().reshape(2, -1)[:, :2]
        ctx.mark_non_differentiable(depth)
        return depth, x * 2

    @staticmethod
    def backward(ctx, of_depth, of_double):
        return of_double * 2


def nearest(x):
    depth, double = Nearest.apply(x)
    depth.masked_fill_(depth > 1, 0)
    return depth * double[:, :2]


x = torch.ones(2, 3, requires_grad=True)
nearest(x).sum().backward()
assert x.grad.sum() == 8
