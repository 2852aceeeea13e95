import enum
from typing import Optional

import torch
import torch.nn as nn


class Scheme(enum.Enum):
    SYMMETRIC = enum.auto()
    AFFINE = enum.auto()


class FakeQuantSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, zero, lo, hi):
        q = x / scale
        q.round_().add_(zero)
        inside = (q >= lo) & (q <= hi)
        ctx.save_for_backward(inside)
        q.clamp_(lo, hi).sub_(zero).mul_(scale)
        return q

    @staticmethod
    def backward(ctx, g):
        (inside,) = ctx.saved_tensors
        return g.masked_fill(~inside, 0), None, None, None, None


class MinMaxObserver(nn.Module):
    def __init__(self, bits: int, scheme: Scheme, momentum: Optional[float] = 0.1):
        super().__init__()
        self.scheme, self.momentum = scheme, momentum
        self.lo, self.hi = (0, 2 ** bits - 1) if scheme is Scheme.AFFINE else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        self.register_buffer("vmin", torch.zeros(()))
        self.register_buffer("vmax", torch.zeros(()))
        self.register_buffer("seen", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def observe(self, x):
        lo, hi = x.aminmax()
        if self.seen == 0 or self.momentum is None:
            self.vmin.copy_(lo)
            self.vmax.copy_(hi)
        else:
            self.vmin.lerp_(lo, self.momentum)
            self.vmax.lerp_(hi, self.momentum)
        self.vmin.clamp_(max=0)
        self.vmax.clamp_(min=0)
        self.seen += 1

    def qparams(self):
        if self.scheme is Scheme.SYMMETRIC:
            s = torch.maximum(-self.vmin, self.vmax) / self.hi
            return s.clamp_(min=1e-8), torch.zeros(())
        s = ((self.vmax - self.vmin) / (self.hi - self.lo)).clamp_(min=1e-8)
        return s, (self.lo - self.vmin / s).round_()

    def forward(self, x):
        if self.training:
            self.observe(x.detach())
        scale, zero = self.qparams()
        return FakeQuantSTE.apply(x, scale, zero, self.lo, self.hi)


class QWrap(nn.Module):
    def __init__(self, layer: nn.Module, bits=4):
        super().__init__()
        self.layer = layer
        self.wobs = MinMaxObserver(bits, Scheme.SYMMETRIC, momentum=None)
        self.aobs = MinMaxObserver(bits, Scheme.AFFINE)

    def forward(self, x):
        w = self.wobs(self.layer.weight)
        y = nn.functional.linear(self.aobs(x), w)
        if self.layer.bias is not None:
            y += self.layer.bias
        return y


def convert(net: nn.Module, bits: int) -> nn.Module:
    for name, child in net.named_children():
        if isinstance(child, nn.Linear):
            setattr(net, name, QWrap(child, bits))
        else:
            convert(child, bits)
    return net


def distill(student, teacher, xs, lr=1e-2, tau=2.0):
    opt = torch.optim.SGD(student.parameters(), lr=lr, momentum=0.9)
    for x in xs:
        with torch.no_grad():
            t = teacher(x).div_(tau).softmax(-1)
        s = student(x)
        s /= tau
        loss = nn.functional.kl_div(s.log_softmax(-1), t, reduction="batchmean") * tau ** 2
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


def mlp():
    return nn.Sequential(nn.Linear(6, 12), nn.ReLU(inplace=True), nn.Linear(12, 12), nn.ReLU(inplace=True), nn.Linear(12, 3))


# --- driver ---
torch.manual_seed(0)
teacher, student = mlp().eval(), mlp()
student.load_state_dict(teacher.state_dict())
distill(convert(student, 4), teacher, [torch.randn(8, 6) for _ in range(2)])
