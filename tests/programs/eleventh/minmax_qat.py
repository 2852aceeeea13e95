"""Fake quantisation with min-max observers that can be frozen, batch-norm folding for export, small audio-like CNN."""
from enum import Enum

import torch
from torch import nn
import torch.nn.functional as F


class Phase(Enum):
    OFF = 0
    OBSERVE = 1
    FROZEN = 2


class STE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, zero, qmin, qmax):
        q = (x / scale).round_().add_(zero)
        ctx.save_for_backward((q >= qmin) & (q <= qmax))
        return q.clamp_(qmin, qmax).sub_(zero).mul_(scale)

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside, None, None, None, None


class FakeQuant(nn.Module):
    def __init__(self, bits=8, symmetric=False, momentum=0.1):
        super().__init__()
        self.symmetric, self.momentum = symmetric, momentum
        self.qmin, self.qmax = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if symmetric else (0, 2 ** bits - 1)
        self.register_buffer("lo", torch.zeros(()))
        self.register_buffer("hi", torch.zeros(()))
        self.phase = Phase.OBSERVE

    @torch.no_grad()
    def observe(self, x):
        lo, hi = torch.aminmax(x)
        if self.hi == self.lo:
            self.lo.copy_(lo)
            self.hi.copy_(hi)
        else:
            self.lo.lerp_(lo, self.momentum)
            self.hi.lerp_(hi, self.momentum)

    def qparams(self):
        if self.symmetric:
            scale = torch.maximum(-self.lo, self.hi).clamp_min(1e-6) / self.qmax
            return scale, torch.zeros(())
        scale = (self.hi - self.lo).clamp_min(1e-6) / (self.qmax - self.qmin)
        return scale, (self.qmin - self.lo / scale).round_()

    def forward(self, x):
        if self.phase is Phase.OFF:
            return x
        if self.phase is Phase.OBSERVE and self.training:
            self.observe(x)
        return STE.apply(x, *self.qparams(), self.qmin, self.qmax)


class QConvBN(nn.Module):
    def __init__(self, c_in, c_out, kernel=5, stride=2):
        super().__init__()
        self.conv = nn.Conv1d(c_in, c_out, kernel, stride, padding=kernel // 2, bias=False)
        self.bn = nn.BatchNorm1d(c_out)
        self.wq, self.aq = FakeQuant(8, symmetric=True), FakeQuant(8)

    def forward(self, x):
        y = F.conv1d(x, self.wq(self.conv.weight), None, self.conv.stride, self.conv.padding)
        return self.aq(F.relu_(self.bn(y)))

    @torch.no_grad()
    def fold(self):
        """Puts the batch norm in the convolution and makes it an identity."""
        gain = self.bn.weight / (self.bn.running_var + self.bn.eps).sqrt()
        self.conv.weight.mul_(gain[:, None, None])
        self.bn.bias.sub_(self.bn.running_mean * gain)
        self.bn.weight.fill_((1 + self.bn.eps) ** 0.5)
        self.bn.running_mean.zero_()
        self.bn.running_var.fill_(1.0)
        return self


def set_phase(net, phase):
    for m in net.modules():
        if isinstance(m, FakeQuant):
            m.phase = phase


def tones(n, length=64, classes=4):
    y = torch.randint(0, classes, (n,))
    t = torch.arange(length) / length
    x = torch.sin(2 * torch.pi * (y[:, None] + 2) * t + torch.rand(n, 1) * 6.28)
    return x.unsqueeze(1) + 0.1 * torch.randn(n, 1, length), y


def epoch(net, opt, steps):
    for _ in range(steps):
        x, y = tones(16)
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = nn.Sequential(QConvBN(1, 8), QConvBN(8, 12), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(12, 4))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for phase in (Phase.OFF, Phase.OBSERVE, Phase.FROZEN):
    set_phase(net, phase)
    print(phase.name, epoch(net, opt, 3))
x, y = tones(8)
set_phase(net.eval(), Phase.OFF)
before = net(x)
net[0].fold()
print((net(x) - before).abs().max().item())
