import torch


class InPlaceLeaky(torch.autograd.Function):
    """Overwrites its input; backward needs only the output's sign."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        ctx.mark_dirty(x)
        x.mul_(torch.where(x < 0, slope, 1.0))
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (out,) = ctx.saved_tensors
        g = g.clone()
        g[out < 0] *= ctx.slope
        return g, None


class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        g = g.clone()
        g[x.abs() > 1] = 0
        return g


class GradReverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg().mul_(ctx.lam), None
