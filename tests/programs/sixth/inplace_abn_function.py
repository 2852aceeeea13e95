import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class InplaceLeaky(Function):
    """Leaky rectifier that overwrites its argument and keeps just the result."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        x.mul_(torch.where(x < 0, slope, 1.0))
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        gx = grad.clone()
        gx[out < 0] *= ctx.slope
        return gx, None


class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, lam):
        ctx.lam = lam
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        g = grad.neg()
        g.mul_(ctx.lam)
        return g, None


class ClippedScale(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        out = x * scale
        return out.clamp_(-6, 6)

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        g = grad.clone()
        g.masked_fill_((x * scale).abs() > 6, 0)
        return g * scale, (g * x).sum(0)


class ABN(nn.Module):
    def __init__(self, dim, slope=0.01):
        super().__init__()
        self.bn = nn.BatchNorm1d(dim)
        self.slope = slope

    def forward(self, x):
        return InplaceLeaky.apply(self.bn(x), self.slope)


class Scale(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return ClippedScale.apply(x, self.scale)


class DANN(nn.Module):
    def __init__(self, d_in, dim, n_cls):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(d_in, dim), ABN(dim), nn.Linear(dim, dim), ABN(dim), Scale(dim))
        self.label = nn.Linear(dim, n_cls)
        self.domain = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, 2))

    def forward(self, x, lam=1.0):
        f = self.features(x)
        return self.label(f), self.domain(GradientReversal.apply(f, lam))


def lam_schedule(p, gamma=10.0):
    v = torch.tensor(-gamma * p).exp_()
    return float(2 / v.add_(1)) - 1


def step(model, opt, src, y, tgt, p):
    lam = lam_schedule(p)
    logits, d_src = model(src, lam)
    _, d_tgt = model(tgt, lam)
    dom = torch.ones(len(src) + len(tgt), dtype=torch.long)
    dom[: len(src)] = 0
    loss = F.cross_entropy(logits, y)
    loss += F.cross_entropy(torch.cat([d_src, d_tgt]), dom)
    opt.zero_grad()
    loss.backward()
    opt.step()


# --- driver ---
torch.manual_seed(0)
model = DANN(5, 8, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
for i in range(2):
    step(model, opt, torch.randn(6, 5), torch.randint(0, 3, (6,)), torch.randn(6, 5), i / 2)
