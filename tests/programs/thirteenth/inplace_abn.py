"""Segmentation net with a memory-thrifty batch norm + leaky activation (activation written over the norm's output)."""
import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
import torch.nn.functional as F


class OverwriteLeaky(Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.slope = slope
        x.mul_(torch.where(x > 0, 1.0, slope))
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        grad = g.clone()
        grad[y < 0] *= ctx.slope
        return grad, None


class ABN(nn.Module):
    def __init__(self, c, slope=0.01, momentum=0.1, eps=1e-5):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(c)), nn.Parameter(torch.zeros(c))
        self.register_buffer("running_mean", torch.zeros(c))
        self.register_buffer("running_var", torch.ones(c))
        self.slope, self.momentum, self.eps = slope, momentum, eps

    def forward(self, x):
        y = F.batch_norm(x, self.running_mean, self.running_var, self.weight, self.bias,
                         self.training, self.momentum, self.eps)
        return OverwriteLeaky.apply(y, self.slope)


class ASPP(nn.Module):
    def __init__(self, cin, c, rates):
        super().__init__()
        self.branches = nn.ModuleList([nn.Conv2d(cin, c, 1, bias=False)])
        self.branches.extend(nn.Conv2d(cin, c, 3, padding=r, dilation=r, bias=False) for r in rates)
        self.abn = ABN(c * len(self.branches))
        self.pool = nn.Conv2d(cin, c, 1, bias=False)
        self.red = nn.Conv2d(c * len(self.branches), c, 1, bias=False)
        self.red_abn = ABN(c)

    def forward(self, x):
        y = self.red(self.abn(torch.cat([b(x) for b in self.branches], 1)))
        y += self.pool(x.mean((2, 3), keepdim=True))
        return self.red_abn(y)


class DeepLabish(nn.Module):
    def __init__(self, classes, c=8):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, c, 3, 2, 1, bias=False), ABN(c), nn.Conv2d(c, 2 * c, 3, 2, 1, bias=False), ABN(2 * c))
        self.aspp = ASPP(2 * c, c, (2, 3))
        self.cls = nn.Conv2d(c, classes, 1)

    def forward(self, x):
        y = self.cls(self.aspp(self.body(x)))
        return F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)


class ConfusionMeter:
    def __init__(self, n, ignore=255):
        self.m, self.n, self.ignore = torch.zeros(n, n, dtype=torch.long), n, ignore

    @torch.no_grad()
    def update(self, logits, y):
        ok = y != self.ignore
        flat = y[ok] * self.n + logits.argmax(1)[ok]
        self.m += torch.bincount(flat, minlength=self.n ** 2).view(self.n, self.n)

    def miou(self):
        d = self.m.diagonal().float()
        return (d / (self.m.sum(0) + self.m.sum(1) - d).clamp(min=1)).mean().item()


def scene(n, size, classes):
    y = torch.randint(0, classes, (n, size // 8, size // 8)).repeat_interleave(8, 1).repeat_interleave(8, 2)
    x = torch.stack([y == k for k in range(3)], 1).float()
    x.add_(torch.randn_like(x), alpha=0.3)
    y[:, 0] = 255
    return x, y


# --- driver ---
torch.manual_seed(0)
net, meter = DeepLabish(4), ConfusionMeter(4)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for i in range(3):
    x, y = scene(2, 32, 4)
    out = net(x)
    loss = F.cross_entropy(out, y, ignore_index=255)
    meter.update(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item(), meter.miou())
