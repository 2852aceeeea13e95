"""Learned step size quantisation (LSQ) of an imitation controller for a microcontroller."""
from __future__ import annotations
from typing import Any, Iterable
import math
import torch
from torch import nn, Tensor


class LSQ(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, step: Tensor, lo: int, hi: int) -> Tensor:
        ctx.x, ctx.step = x, step
        ctx.lo, ctx.hi = lo, hi
        return (x / step).round().clamp(lo, hi) * step

    @staticmethod
    def backward(ctx: Any, g: Tensor):
        v = ctx.x / ctx.step
        below, above = v < ctx.lo, v > ctx.hi
        inside = ~(below | above)
        d = torch.where(inside, v.round() - v, v.clamp(ctx.lo, ctx.hi))
        scale = 1.0 / math.sqrt(v.numel() * ctx.hi)
        return g * inside, (g * d).sum().mul(scale).view_as(ctx.step), None, None


class Quantiser(nn.Module):
    def __init__(self, bits: int, signed: bool = True):
        super().__init__()
        self.lo = -(2 ** (bits - 1)) if signed else 0
        self.hi = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
        self.step = nn.Parameter(torch.ones(()))
        self.started = False

    def forward(self, x: Tensor) -> Tensor:
        if not self.started:
            with torch.no_grad():
                self.step.copy_(2 * x.abs().mean() / math.sqrt(self.hi))
            self.started = True
        return LSQ.apply(x, self.step, self.lo, self.hi)


class QLinear(nn.Linear):
    def __init__(self, i: int, o: int, bits: int):
        super().__init__(i, o)
        self.qw, self.qx = Quantiser(bits), Quantiser(bits)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.linear(self.qx(x), self.qw(self.weight), self.bias)


class ResidualBlock(nn.Module):
    def __init__(self, width: int, bits: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.a, self.b = QLinear(width, width, bits), QLinear(width, width, bits)

    def forward(self, x: Tensor) -> Tensor:
        y = self.a(x)
        y = self.b(torch.nn.functional.hardtanh(y))
        x += self.norm(y)  # BUG silent
        return x


class Controller(nn.Module):
    def __init__(self, obs: int, act: int, width: int = 16, depth: int = 2, bits: int = 4):
        super().__init__()
        self.inp = nn.Linear(obs, width)
        self.blocks = nn.ModuleList(ResidualBlock(width, bits) for _ in range(depth))
        self.out = nn.Linear(width, act)

    def forward(self, s: Tensor) -> Tensor:
        h = self.inp(s)
        for blk in self.blocks:
            h = blk(h)
        return torch.tanh(self.out(h))


def expert(s: Tensor) -> Tensor:
    return torch.stack([-s[:, 0] - 0.5 * s[:, 2], s[:, 1] * s[:, 3]], 1).clamp_(-1, 1)


def clone_behaviour(net: Controller, states: Iterable[Tensor]) -> None:
    steps = [p for n, p in net.named_parameters() if n.endswith("step")]
    rest = [p for n, p in net.named_parameters() if not n.endswith("step")]
    opt = torch.optim.Adam([{"params": rest, "lr": 3e-3}, {"params": steps, "lr": 1e-4}])
    for s in states:
        loss = (net(s) - expert(s)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


# --- driver ---
torch.manual_seed(50)
clone_behaviour(Controller(4, 2), [torch.randn(32, 4) for _ in range(4)])
