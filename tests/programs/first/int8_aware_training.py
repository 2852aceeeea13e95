"""Quantisation-aware training with min/max observers and straight-through rounding."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, g):
        return g


class MinMaxObserver(nn.Module):
    def __init__(self, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.register_buffer('lo', torch.tensor(0.0))
        self.register_buffer('hi', torch.tensor(0.0))
        self.register_buffer('seen', torch.tensor(False))

    @torch.no_grad()
    def observe(self, x):
        lo, hi = x.min(), x.max()
        if not self.seen:
            self.lo.copy_(lo)
            self.hi.copy_(hi)
            self.seen.fill_(True)
        else:
            self.lo.add_(self.momentum * (lo - self.lo))
            self.hi.add_(self.momentum * (hi - self.hi))

    def qparams(self, bits):
        lo, hi = self.lo.clamp(max=0), self.hi.clamp(min=0)
        scale = (hi - lo).clamp(min=1e-6) / (2 ** bits - 1)
        return scale, torch.round(-lo / scale)


class FakeQuant(nn.Module):
    def __init__(self, bits=8):
        super().__init__()
        self.bits, self.observer = bits, MinMaxObserver()
        self.enabled = True

    def forward(self, x):
        if self.training:
            self.observer.observe(x.detach())
        if not self.enabled:
            return x
        scale, zp = self.observer.qparams(self.bits)
        q = RoundSTE.apply(x / scale + zp)
        q = q.clamp(0, 2 ** self.bits - 1)
        q = q - zp
        q *= scale
        return q


class QuantLinear(nn.Linear):
    def __init__(self, *a, bits=8, **kw):
        super().__init__(*a, **kw)
        self.wq, self.aq = FakeQuant(bits), FakeQuant(bits)

    def forward(self, x):
        return F.linear(self.aq(x), self.wq(self.weight), self.bias)


def swap_linears(module, bits, skip=()):
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear) and name not in skip:
            q = QuantLinear(child.in_features, child.out_features, bits=bits)
            with torch.no_grad():
                q.weight.copy_(child.weight)
                q.bias.copy_(child.bias)
            setattr(module, name, q)
        else:
            swap_linears(child, bits, skip)
    return module


def set_quant(model, flag):
    for m in model.modules():
        if isinstance(m, FakeQuant):
            m.enabled = flag


class QATLoop:
    def __init__(self, model, lr=1e-2, warmup=1):
        self.model, self.warmup, self.it = model, warmup, 0
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def step(self, x, y):
        set_quant(self.model, self.it >= self.warmup)
        loss = F.cross_entropy(self.model(x), y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.it += 1
        return loss.item()


# --- driver ---
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(inplace=True), nn.Linear(16, 16), nn.ReLU(inplace=True), nn.Linear(16, 3))
loop = QATLoop(swap_linears(net, bits=6))
for _ in range(3):
    print(loop.step(torch.randn(12, 8), torch.randint(0, 3, (12,))))
