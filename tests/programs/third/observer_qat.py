"""Quantisation aware training with one shared activation observer per stage."""
from enum import Enum

import torch
import torch.nn as nn


class QScheme(Enum):
    SYMMETRIC = "sym"
    UNSIGNED = "uint"


def ste_round(x):
    return x + (x.round() - x).detach()


class ActQuant(nn.Module):
    def __init__(self, bits=8, scheme=QScheme.SYMMETRIC, momentum=0.1):
        super().__init__()
        self.scheme = scheme
        self.momentum = momentum
        self.qmax = 2 ** (bits - 1) - 1 if scheme is QScheme.SYMMETRIC else 2 ** bits - 1
        self.qmin = -self.qmax - 1 if scheme is QScheme.SYMMETRIC else 0
        self.register_buffer("scale", torch.tensor(1.0))
        self.register_buffer("ready", torch.tensor(False))

    @torch.no_grad()
    def observe(self, x):
        s = x.abs().max() / self.qmax
        s = s.clamp(min=1e-6)
        if not self.ready:
            self.scale.fill_(s.item())
            self.ready.fill_(True)
        else:
            self.scale.lerp_(s, self.momentum)  # BUG

    def forward(self, x):
        if self.training:
            self.observe(x)
        q = ste_round(x / self.scale).clamp(self.qmin, self.qmax)
        return q * self.scale


class WeightQuant(nn.Module):
    def __init__(self, bits=4):
        super().__init__()
        self.qmax = 2 ** (bits - 1) - 1

    def forward(self, w):
        s = w.detach().abs().amax(dim=1, keepdim=True).clamp(min=1e-6) / self.qmax
        return ste_round(w / s) * s


class QLinear(nn.Linear):
    def __init__(self, fin, fout, act):
        super().__init__(fin, fout)
        self.act_q = act
        self.w_q = WeightQuant()

    def forward(self, x):
        return nn.functional.linear(self.act_q(x), self.w_q(self.weight), self.bias)


class QMLP(nn.Module):
    def __init__(self, dims, classes, bits=8):
        super().__init__()
        self.stem = nn.Linear(dims[0], dims[1])
        shared = ActQuant(bits)
        self.layers = nn.ModuleList(QLinear(a, b, shared) for a, b in zip(dims[1:], dims[2:]))
        self.head = QLinear(dims[-1], classes, ActQuant(bits))

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)


def qat_step(model, opt, x, y):
    model.train()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(13)
model = QMLP([5, 8, 8, 8], 3)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(2):
    qat_step(model, opt, torch.randn(6, 5), torch.randint(0, 3, (6,)))
