import torch


class ClampGrad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lo, hi):
        ctx.save_for_backward(x)
        ctx.lo, ctx.hi = lo, hi
        return x.clamp(lo, hi)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        g = g.clone()
        g[(x < ctx.lo) & (g > 0)] = 0
        g[(x > ctx.hi) & (g < 0)] = 0
        return g, None, None


class DirtyScale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        ctx.s = s
        ctx.mark_dirty(x)
        return x.mul_(s)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.s, None
