"""Memory-saving leaky ReLU implemented as an in-place autograd.Function, used in a depth estimator."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class LeakyInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        ctx.mark_dirty(x)
        F.leaky_relu_(x, slope)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        out, = ctx.saved_tensors
        grad = grad.clone()
        grad[out < 0] *= ctx.slope
        return grad, None


class ScaleGradient(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class NormAct2d(nn.BatchNorm2d):
    def __init__(self, c, slope=0.01, **kw):
        super().__init__(c, **kw)
        self.slope = slope

    def forward(self, x):
        return LeakyInPlace.apply(super().forward(x), self.slope)


def conv_unit(a, b, stride=1):
    return nn.Sequential(nn.Conv2d(a, b, 3, stride, 1, bias=False), NormAct2d(b))


class DepthNet(nn.Module):
    def __init__(self, c=8, d_min=0.1, d_max=10.0, enc_grad=0.5):
        super().__init__()
        self.enc = nn.ModuleList([conv_unit(3, c), conv_unit(c, c * 2, 2), conv_unit(c * 2, c * 2, 2)])
        self.dec = nn.ModuleList([conv_unit(c * 4, c * 2), conv_unit(c * 3, c)])
        self.head = nn.Conv2d(c, 1, 3, padding=1)
        self.d_min, self.d_max, self.enc_grad = d_min, d_max, enc_grad

    def forward(self, img):
        skips, x = [], img
        for e in self.enc:
            x = e(x)
            skips.append(x)
        x = ScaleGradient.apply(x, self.enc_grad)
        for d, skip in zip(self.dec, reversed(skips[:-1])):
            x = F.interpolate(x, size=skip.shape[-2:], mode='nearest')
            x = d(torch.cat([x, skip], 1))
        disp = torch.sigmoid(self.head(x))
        lo, hi = 1 / self.d_max, 1 / self.d_min
        return 1 / (lo + (hi - lo) * disp)


def silog(pred, gt, lam=0.85):
    valid = gt > 0
    d = torch.log(pred[valid]) - torch.log(gt[valid])
    return (d.pow(2).mean() - lam * d.mean().pow(2)).clamp(min=1e-8).sqrt()


def edge_smoothness(depth, img):
    inv = 1 / depth
    inv = inv / inv.mean(dim=(2, 3), keepdim=True)
    gx, gy = (inv[..., 1:] - inv[..., :-1]).abs_(), (inv[..., 1:, :] - inv[..., :-1, :]).abs_()
    wx = (img[..., 1:] - img[..., :-1]).abs().mean(1, keepdim=True).neg_().exp_()
    wy = (img[..., 1:, :] - img[..., :-1, :]).abs().mean(1, keepdim=True).neg_().exp_()
    return (gx * wx).mean() + (gy * wy).mean()


@torch.no_grad()
def depth_metrics(pred, gt):
    valid = gt > 0
    p, g = pred[valid], gt[valid]
    ratio = torch.maximum(p / g, g / p)
    p.mul_(g.median() / p.median())
    return {'abs_rel': ((p - g).abs() / g).mean().item(), 'd1': (ratio < 1.25).float().mean().item()}


def train_step(net, opt, img, gt, smooth=0.01):
    pred = net(img)
    loss = silog(pred, gt) + smooth * edge_smoothness(pred, img)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return {'loss': loss.item(), **depth_metrics(pred, gt)}


# --- driver ---
net = DepthNet()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
for _ in range(2):
    gt = torch.rand(2, 1, 16, 16).mul_(8).add_(0.5)
    gt[torch.rand_like(gt) < 0.3] = 0
    print(train_step(net, opt, torch.rand(2, 3, 16, 16), gt))
