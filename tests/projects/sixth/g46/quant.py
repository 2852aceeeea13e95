import torch
import torch.nn as nn
import torch.nn.functional as F


class FakeQuant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, zero, qmin, qmax):
        q = x / scale
        q.round_().add_(zero)
        ctx.save_for_backward((q >= qmin) & (q <= qmax))
        q.clamp_(qmin, qmax)
        q.sub_(zero).mul_(scale)
        return q

    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g * mask, None, None, None, None


class Observer(nn.Module):
    def __init__(self, bits=4, momentum=0.1):
        super().__init__()
        self.qmin, self.qmax, self.momentum = 0, 2 ** bits - 1, momentum
        self.register_buffer("lo", torch.tensor(0.0))
        self.register_buffer("hi", torch.tensor(0.0))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def observe(self, x):
        lo, hi = x.min().clamp_(max=0), x.max().clamp_(min=1e-3)
        if not self.ready:
            self.lo.copy_(lo)
            self.hi.copy_(hi)
            self.ready.fill_(True)
        else:
            self.lo.lerp_(lo, self.momentum)
            self.hi.lerp_(hi, self.momentum)

    def forward(self, x):
        if self.training:
            self.observe(x)
        scale = (self.hi - self.lo) / (self.qmax - self.qmin)
        zero = (self.qmin - self.lo / scale).round_()
        return FakeQuant.apply(x, scale, zero, self.qmin, self.qmax)


class QLinear(nn.Linear):
    def __init__(self, i, o, act=True):
        super().__init__(i, o)
        self.wq, self.aq, self.act = Observer(), Observer(8), act

    def forward(self, x):
        y = F.linear(self.aq(x), self.wq(self.weight), self.bias)
        return y.relu_() if self.act else y
