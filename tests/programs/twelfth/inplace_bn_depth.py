"""Monocular depth with a memory lean leaky activation: overwritten input, backward from the output alone."""
import torch
from torch import nn
import torch.nn.functional as F
from torch.autograd import Function


class LeanLeaky(Function):
    """Leaky relu which overwrites its input. The sign of the output is the sign of the input."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.mark_dirty(x)
        ctx.slope = slope
        x.mul_(torch.where(x > 0, 1.0, slope))
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        gx = g.clone()
        gx[y < 0] *= ctx.slope
        return gx, None


class ABN(nn.BatchNorm2d):
    def __init__(self, ch, slope=0.05):
        super().__init__(ch)
        self.slope = slope

    def forward(self, x):
        return LeanLeaky.apply(super().forward(x), self.slope)


def down(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, 2, 1, bias=False), ABN(o), nn.Conv2d(o, o, 3, 1, 1, bias=False), ABN(o))


class Up(nn.Module):
    def __init__(self, i, skip, o):
        super().__init__()
        self.reduce = nn.Conv2d(i, o, 1)
        self.lateral = nn.Conv2d(skip, o, 1)
        self.fuse = nn.Sequential(nn.Conv2d(o, o, 3, 1, 1, bias=False), ABN(o))

    def forward(self, x, skip):
        y = F.interpolate(self.reduce(x), scale_factor=2, mode="bilinear", align_corners=False)
        y += self.lateral(skip)
        return self.fuse(y)


class DepthNet(nn.Module):
    def __init__(self, w=6, dmin=0.1, dmax=10.0):
        super().__init__()
        self.e1, self.e2, self.e3 = down(3, w), down(w, 2 * w), down(2 * w, 4 * w)
        self.u2, self.u1 = Up(4 * w, 2 * w, 2 * w), Up(2 * w, w, w)
        self.head = nn.Conv2d(w, 1, 3, 1, 1)
        self.lo, self.hi = 1 / dmax, 1 / dmin

    def forward(self, img):
        a = self.e1(img)
        b = self.e2(a)
        c = self.e3(b)
        disp = torch.sigmoid(self.head(self.u1(self.u2(c, b), a))).squeeze(1)
        return (disp * (self.hi - self.lo)).add_(self.lo).reciprocal()


def silog(pred, gt, lam=0.85):
    valid = gt > 0
    err = pred[valid].log()
    err -= gt[valid].log()
    return (err.square().mean() - lam * err.mean().square()).clamp(min=1e-8).sqrt()


def smoothness(depth, img):
    dx = (depth[:, :, 1:] - depth[:, :, :-1]).abs()
    wx = torch.exp(-(img[:, :, ::2, 2::2] - img[:, :, ::2, :-2:2]).abs().mean(1))
    dx *= wx
    return dx.mean()


def train(net, scenes, opt):
    for img, gt in scenes:
        pred = net(img)
        loss = silog(pred, gt) + 0.01 * smoothness(pred, img)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(54)
net = DepthNet()
scenes = [(torch.rand(2, 3, 32, 32), torch.rand(2, 16, 16).mul_(5).sub_(0.5).clamp_(min=0)) for _ in range(3)]
print(list(train(net, scenes, torch.optim.Adam(net.parameters(), 1e-3))))
