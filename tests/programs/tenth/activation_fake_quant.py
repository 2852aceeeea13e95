"""Quantisation-aware training: straight-through rounding of activations and weights, with running ranges."""
from enum import Enum

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd import Function


class Phase(Enum):
    CALIBRATE = "calibrate"
    QUANTISE = "quantise"


class RoundSTE(Function):
    @staticmethod
    def forward(ctx, x, scale, levels):
        inside = (x >= 0) & (x <= scale * levels)
        ctx.save_for_backward(inside)
        q = x.div_(scale)  # BUG
        return q.round().clamp_(0, levels).mul_(scale)

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside, None, None


class SymmetricSTE(Function):
    @staticmethod
    def forward(ctx, w, bits):
        top = 2 ** (bits - 1) - 1
        scale = w.abs().amax(dim=tuple(range(1, w.dim())), keepdim=True).clamp_(min=1e-8).div_(top)
        return (w / scale).round_().mul_(scale)

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class RangeObserver(nn.Module):
    def __init__(self, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("top", torch.tensor(1.0))

    @torch.no_grad()
    def forward(self, x):
        self.top.lerp_(x.max(), self.momentum)
        return self.top


class ActQuant(nn.Module):
    def __init__(self, bits=6):
        super().__init__()
        self.levels = 2 ** bits - 1
        self.observer = RangeObserver()
        self.phase = Phase.CALIBRATE

    def forward(self, x):
        top = self.observer(x) if self.training else self.observer.top
        if self.phase is Phase.CALIBRATE:
            return x
        return RoundSTE.apply(x, (top / self.levels).clone(), self.levels)


class QuantConv(nn.Conv2d):
    bits = 6

    def forward(self, x):
        return self._conv_forward(x, SymmetricSTE.apply(self.weight, self.bits), self.bias)


class SqueezeGate(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.fc = nn.Linear(ch, ch)
        self.quant = ActQuant(bits=4)

    def forward(self, x):
        gate = self.quant(torch.sigmoid(self.fc(x.mean((2, 3)))))
        return x * gate[:, :, None, None]


class QuantNet(nn.Module):
    def __init__(self, classes=4, ch=8):
        super().__init__()
        self.c1, self.q1 = QuantConv(3, ch, 3, 2, 1), ActQuant()
        self.gate = SqueezeGate(ch)
        self.c2 = QuantConv(ch, ch, 3, 2, 1)
        self.fc = nn.Linear(ch, classes)

    def set_phase(self, phase):
        for m in self.modules():
            if isinstance(m, ActQuant):
                m.phase = phase

    def forward(self, x):
        x = self.q1(F.hardtanh(self.c1(x), 0.0, 6.0))
        x = F.relu(self.c2(self.gate(x)))
        return self.fc(x.mean((2, 3)))


# --- driver ---
torch.manual_seed(26)
net = QuantNet()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(4):
    net.set_phase(Phase.CALIBRATE if step < 2 else Phase.QUANTISE)
    loss = F.cross_entropy(net(torch.randn(6, 3, 12, 12)), torch.randint(0, 4, (6,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
