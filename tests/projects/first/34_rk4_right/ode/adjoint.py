import torch


class AdjointFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, f, y0, t0, t1, n, *params):
        h = (t1 - t0) / n
        y = y0.clone()
        with torch.no_grad():
            for i in range(n):
                y.add_(f(t0 + i * h, y), alpha=h)
        ctx.f, ctx.h, ctx.n, ctx.t1 = f, h, n, t1
        ctx.save_for_backward(y, *params)
        return y

    @staticmethod
    def backward(ctx, gy):
        y, *params = ctx.saved_tensors
        y = y.clone()
        a = gy.clone()
        gp = [torch.zeros_like(p) for p in params]
        t = ctx.t1
        for _ in range(ctx.n):
            with torch.enable_grad():
                yy = y.detach().requires_grad_(True)
                out = ctx.f(t, yy)
                g = torch.autograd.grad(out, (yy, *params), a, allow_unused=True)
            a.add_(g[0], alpha=ctx.h)
            for acc, gi in zip(gp, g[1:]):
                if gi is not None:
                    acc.add_(gi, alpha=ctx.h)
            y.sub_(ctx.h * out.detach())
            t = t - ctx.h
        return (None, a, None, None, None, *gp)
