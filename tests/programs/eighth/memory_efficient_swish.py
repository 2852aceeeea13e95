"""MBConv network with a hand-written swish that recomputes its sigmoid in backward."""
import math
from typing import List, NamedTuple

import torch
import torch.nn as nn


class SwishFn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        s = torch.sigmoid(x)
        g = 1 - s
        g.mul_(x).add_(1).mul_(s)
        return grad * g


def swish(x):
    return SwishFn.apply(x)


class BlockArgs(NamedTuple):
    cin: int
    cout: int
    expand: int = 2
    stride: int = 1
    se: float = 0.25


def round_filters(ch, mult, divisor=4):
    new = max(divisor, int(ch * mult + divisor / 2) // divisor * divisor)
    return new + divisor if new < 0.9 * ch * mult else new


class SqueezeExcite(nn.Module):
    def __init__(self, ch, ratio):
        super().__init__()
        red = max(1, int(ch * ratio))
        self.down, self.up = nn.Conv2d(ch, red, 1), nn.Conv2d(red, ch, 1)

    def forward(self, x):
        w = swish(self.down(x.mean((2, 3), keepdim=True)))
        return torch.sigmoid_(self.up(w))


class MBConv(nn.Module):
    def __init__(self, a: BlockArgs):
        super().__init__()
        mid = a.cin * a.expand
        self.expand = nn.Conv2d(a.cin, mid, 1, bias=False)
        self.dw = nn.Conv2d(mid, mid, 3, a.stride, 1, groups=mid, bias=False)
        self.norm0, self.norm1, self.norm2 = (nn.BatchNorm2d(c, momentum=0.01) for c in (mid, mid, a.cout))
        self.se = SqueezeExcite(mid, a.se)
        self.project = nn.Conv2d(mid, a.cout, 1, bias=False)
        self.residual = a.stride == 1 and a.cin == a.cout

    def forward(self, x):
        pre = self.norm1(self.dw(swish(self.norm0(self.expand(x)))))
        act = swish(pre)
        pre *= self.se(act)  # BUG
        out = self.norm2(self.project(act + pre))
        if self.residual:
            out += x
        return out


class EfficientNano(nn.Module):
    def __init__(self, blocks: List[BlockArgs], classes: int, width: float = 1.0):
        super().__init__()
        stem = round_filters(blocks[0].cin, width)
        self.stem = nn.Conv2d(3, stem, 3, 2, 1, bias=False)
        self.bn = nn.BatchNorm2d(stem)
        scaled = [b._replace(cin=round_filters(b.cin, width), cout=round_filters(b.cout, width)) for b in blocks]
        self.blocks = nn.Sequential(*map(MBConv, scaled))
        self.fc = nn.Linear(scaled[-1].cout, classes)
        self._init()

    def _init(self):
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                fan = m.kernel_size[0] ** 2 * m.out_channels / m.groups
                m.weight.data.normal_(0, math.sqrt(2.0 / fan))
            elif isinstance(m, nn.Linear):
                m.bias.data.zero_()

    def forward(self, x):
        x = self.blocks(swish(self.bn(self.stem(x))))
        return self.fc(x.mean((2, 3)))


def one_step(net, opt, x, y):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    return loss.detach()


# --- driver ---
torch.manual_seed(0)
net = EfficientNano([BlockArgs(8, 8), BlockArgs(8, 12, stride=2)], classes=3)
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3, momentum=0.9)
one_step(net, opt, torch.randn(2, 3, 16, 16), torch.tensor([0, 2]))
