import torch
import torch.nn as nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class InplaceLeaky(Function):
    """Leaky ReLU in place; the backward pass reads the sign from the result."""

    @staticmethod
    def forward(ctx, x, slope):
        x.mul_(torch.where(x < 0, slope, 1.0))
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        ctx.slope = slope
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        y, = ctx.saved_tensors
        out = g.clone()
        out[y < 0] *= ctx.slope
        return out, None


class PackedDropout(Function):
    @staticmethod
    def forward(ctx, x, p):
        keep = torch.empty_like(x, dtype=torch.bool).bernoulli_(1 - p)
        ctx.keep, ctx.scale = keep, 1 / (1 - p)
        ctx.mark_dirty(x)
        return x.mul_(keep).mul_(ctx.scale)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.keep * ctx.scale, None


class ScaleGrad(Function):
    @staticmethod
    def forward(ctx, x, c):
        ctx.c = c
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.clone().mul_(ctx.c), None


class Leaky(nn.Module):
    def __init__(self, slope=0.1):
        super().__init__()
        self.slope = slope

    def forward(self, x):
        return InplaceLeaky.apply(x, self.slope)


class LeanDropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        return PackedDropout.apply(x, self.p) if self.training and self.p else x


class DenseBlock(nn.Module):
    def __init__(self, cin, growth, n):
        super().__init__()
        self.units = nn.ModuleList()
        for i in range(n):
            c = cin + i * growth
            self.units.append(nn.Sequential(nn.Conv2d(c, growth, 3, padding=1, bias=False), nn.BatchNorm2d(growth), Leaky()))
        self.cout = cin + n * growth

    def forward(self, x):
        for u in self.units:
            x = torch.cat([x, u(x)], 1)
        return x


class DenseNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.block = DenseBlock(3, 4, 3)
        self.fc1 = nn.Linear(self.block.cout, 12)
        self.drop = LeanDropout(0.25)
        self.fc2 = nn.Linear(12, classes)
        self.aux = nn.Linear(12, 1)

    def forward(self, x):
        f = self.block(x).mean((2, 3))
        h = self.drop(Leaky()(self.fc1(f)).add(0.0))
        return self.fc2(h), self.aux(ScaleGrad.apply(h, 0.1)).squeeze(1)


def objective(model, x, y, r):
    logits, reg = model(x)
    reg -= r
    return nn.functional.cross_entropy(logits, y) + reg.abs().mean()


# --- driver ---
torch.manual_seed(21)
net = DenseNet()
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(2):
    opt.zero_grad()
    objective(net, torch.randn(4, 3, 6, 6), torch.randint(0, 3, (4,)), torch.randn(4)).backward()
    opt.step()
