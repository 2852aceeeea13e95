"""What a Function keeps as an attribute is not compared."""

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * ctx.x * gradient


a = torch.randn(4, requires_grad=True)
h = a * 1
y = Square.apply(h)
h.add_(1)  # expect: IPL203
y.sum().backward()
