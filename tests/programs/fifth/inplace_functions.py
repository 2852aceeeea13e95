"""Autograd functions with in-place kernels: leaky ABN activation, quantise STE, gradient tools."""
import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class InplaceLeaky(Function):
    @staticmethod
    def forward(ctx, x, slope):
        x.mul_(torch.where(x < 0, slope, 1.0))
        ctx.mark_dirty(x)
        ctx.slope = slope
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        g = g.clone()
        g[y < 0] *= ctx.slope
        return g, None


class QuantizeSTE(Function):
    @staticmethod
    def forward(ctx, x, scale, bits):
        q = 2 ** (bits - 1) - 1
        v = x / scale
        ctx.save_for_backward(v.abs() <= q)
        return v.round_().clamp_(-q, q).mul_(scale)

    @staticmethod
    def backward(ctx, g):
        (inside,) = ctx.saved_tensors
        g = g.clone()
        g.masked_fill_(~inside, 0.0)
        return g, None, None


class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg().mul_(ctx.lam), None


class LeakyABN(nn.Module):
    def __init__(self, ch, slope=0.01):
        super().__init__()
        self.bn = nn.BatchNorm1d(ch)
        self.slope = slope

    def forward(self, x):
        return InplaceLeaky.apply(self.bn(x), self.slope)


class QLinear(nn.Linear):
    def __init__(self, i, o, bits=4):
        super().__init__(i, o)
        self.bits = bits
        self.register_buffer('scale', torch.tensor(0.1))

    def forward(self, x):
        with torch.no_grad():
            peak = self.weight.abs().amax().div_(2 ** (self.bits - 1) - 1)
            self.scale.mul_(0.5).add_(peak, alpha=0.5)
        y = x @ QuantizeSTE.apply(self.weight, self.scale.clone(), self.bits).t()
        y += self.bias
        return y


class DomainNet(nn.Module):
    def __init__(self, d=6, h=12, classes=3):
        super().__init__()
        self.f = nn.Sequential(QLinear(d, h), LeakyABN(h), QLinear(h, h), LeakyABN(h))
        self.cls, self.dom = nn.Linear(h, classes), nn.Linear(h, 2)

    def forward(self, x, lam):
        h = self.f(x)
        return self.cls(h), self.dom(GradientReversal.apply(h, lam))


def adapt(model, src, tgt, steps=1, lr=1e-2):
    opt = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    ce = nn.CrossEntropyLoss()
    dom = torch.zeros(len(src[0]) + len(tgt), dtype=torch.long)
    dom[len(src[0]):] = 1
    for i in range(steps):
        x = torch.cat([src[0], tgt])
        x += 0.01 * torch.randn_like(x)
        y, d = model(x, lam=(i + 1) / steps)
        loss = ce(y[:len(src[0])], src[1])
        loss += ce(d, dom)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return float(loss)


# --- driver ---
torch.manual_seed(0)
src = (torch.randn(6, 6), torch.randint(0, 3, (6,)))
adapt(DomainNet(), src, torch.randn(6, 6), steps=2)
