"""Symbolic-regression style network with a hand-written exponential unit."""
import argparse

import torch
from torch import nn
from torch.autograd import Function


class CappedExp(Function):
    """exp(x) with the input limited from above; zero slope beyond the limit."""

    @staticmethod
    def forward(ctx, x, limit):
        y = torch.exp(torch.clamp(x, max=limit))
        ctx.save_for_backward(y, x <= limit)
        return y

    @staticmethod
    def backward(ctx, grad):
        y, active = ctx.saved_tensors
        return grad * y * active, None


class SafeReciprocal(Function):
    @staticmethod
    def forward(ctx, x, eps):
        ctx.eps = eps
        ctx.save_for_backward(x)
        return x / (x * x + eps)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        d = x * x + ctx.eps
        return grad * (ctx.eps - x * x) / d.pow(2), None


class ExpUnit(nn.Module):
    def __init__(self, width, limit=4.0):
        super().__init__()
        self.limit = limit
        self.offset = nn.Parameter(-torch.ones(width))

    def forward(self, x):
        y = CappedExp.apply(x, self.limit)
        y += self.offset  # BUG
        return y


class RecipUnit(nn.Module):
    def __init__(self, width, eps=1e-2):
        super().__init__()
        self.eps = eps
        self.offset = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        y = SafeReciprocal.apply(x, self.eps)
        y += self.offset
        return y


class MixedLayer(nn.Module):
    """Half of the units are exponential, half rational."""

    def __init__(self, d_in, d_out):
        super().__init__()
        half = d_out // 2
        self.lin_a, self.lin_b = nn.Linear(d_in, half), nn.Linear(d_in, d_out - half)
        self.exp, self.rec = ExpUnit(half), RecipUnit(d_out - half)

    def forward(self, x):
        return torch.cat((self.exp(self.lin_a(x)), self.rec(self.lin_b(x))), dim=-1)


def parse(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, default=16)
    ap.add_argument("--steps", type=int, default=3)
    ap.add_argument("--lr", type=float, default=1e-3)
    return ap.parse_args(argv)


def target(x):
    return (x[:, :1].exp() / (1 + x[:, 1:2] ** 2)) - x[:, 2:3]


# --- driver ---
def main(argv=None):
    args = parse(argv)
    torch.manual_seed(0)
    net = nn.Sequential(MixedLayer(3, args.width), MixedLayer(args.width, args.width), nn.Linear(args.width, 1))
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    for step in range(args.steps):
        x = torch.randn(32, 3)
        err = net(x) - target(x)
        loss = torch.nn.functional.huber_loss(err, torch.zeros_like(err))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main([])
