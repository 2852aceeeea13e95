import torch
import torch.nn as nn


class ReversibleBlock(nn.Module):
    def __init__(self, f, g):
        super().__init__()
        self.f, self.g = f, g

    def forward(self, x1, x2):
        y1 = x1 + self.f(x2)
        y2 = x2 + self.g(y1)
        return y1, y2

    def backward_pass(self, y1, y2, dy1, dy2):
        y1.requires_grad_(True)
        with torch.enable_grad():
            gy1 = self.g(y1)
            gy1.backward(dy2)
        with torch.no_grad():
            y2.sub_(gy1.detach())
            dy1 = dy1 + y1.grad
            y1.grad = None
        x2 = y2
        x2.requires_grad_(True)
        with torch.enable_grad():
            fx2 = self.f(x2)
            fx2.backward(dy1)
        with torch.no_grad():
            x1 = y1.detach()
            x1 -= fx2.detach()
            dx2 = dy2 + x2.grad
            x2.grad = None
        return x1, x2.detach(), dy1, dx2


class _Reversible(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, blocks, *params):
        x1, x2 = x.chunk(2, dim=1)
        with torch.no_grad():
            for b in blocks:
                x1, x2 = b(x1, x2)
        ctx.y1, ctx.y2 = x1.clone(), x2.clone()
        ctx.blocks = blocks
        return torch.cat([x1, x2], 1)

    @staticmethod
    def backward(ctx, dy):
        dy1, dy2 = dy.chunk(2, dim=1)
        y1, y2 = ctx.y1, ctx.y2
        del ctx.y1, ctx.y2
        for b in reversed(ctx.blocks):
            y1, y2, dy1, dy2 = b.backward_pass(y1, y2, dy1, dy2)
        return (torch.cat([dy1, dy2], 1), None) + (None,) * sum(1 for b in ctx.blocks for _ in b.parameters())


class RevStack(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x):
        return _Reversible.apply(x, list(self.blocks), *self.blocks.parameters())

    def forward_plain(self, x):
        x1, x2 = x.chunk(2, dim=1)
        for b in self.blocks:
            x1, x2 = b(x1, x2)
        return torch.cat([x1, x2], 1)
