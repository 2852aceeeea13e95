"""Hand-written fused bias + scaled activation, used inside a small style generator."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class FusedBiasAct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias, slope, gain):
        shape = [1, -1] + [1] * (x.dim() - 2)
        y = x + bias.view(shape)
        ctx.pre = y
        ctx.slope, ctx.gain = slope, gain
        F.leaky_relu_(y, slope)  # BUG silent
        return y * gain

    @staticmethod
    def backward(ctx, grad):
        smooth = torch.sigmoid(4 * ctx.pre)
        g = grad * ctx.gain * (ctx.slope + (1 - ctx.slope) * smooth)
        dims = [d for d in range(g.dim()) if d != 1]
        return g, g.sum(dims), None, None


class BiasAct(nn.Module):
    def __init__(self, ch, slope=0.2, gain=math.sqrt(2)):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(ch))
        self.slope, self.gain = slope, gain

    def forward(self, x):
        return FusedBiasAct.apply(x, self.bias, self.slope, self.gain)


class ModConv(nn.Module):
    def __init__(self, cin, cout, style):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(cout, cin, 3, 3) / math.sqrt(9 * cin))
        self.affine = nn.Linear(style, cin)
        nn.init.ones_(self.affine.bias)
        self.act = BiasAct(cout)

    def forward(self, x, w):
        b, c, h, wd = x.shape
        s = self.affine(w).view(b, 1, c, 1, 1)
        k = self.weight.unsqueeze(0) * s
        k = k * torch.rsqrt(k.pow(2).sum((2, 3, 4), keepdim=True) + 1e-8)
        out = F.conv2d(x.reshape(1, b * c, h, wd), k.flatten(0, 1), padding=1, groups=b)
        return self.act(out.view(b, -1, h, wd))


class StyleGenerator(nn.Module):
    def __init__(self, z=6, ch=4):
        super().__init__()
        self.mapping = nn.Sequential(nn.Linear(z, z), BiasAct(z), nn.Linear(z, z), BiasAct(z))
        self.const = nn.Parameter(torch.randn(1, ch, 4, 4))
        self.conv1, self.conv2 = ModConv(ch, ch, z), ModConv(ch, ch, z)
        self.rgb = nn.Conv2d(ch, 3, 1)

    def forward(self, z):
        w = self.mapping(F.normalize(z, dim=1))
        x = self.conv1(self.const.expand(len(z), -1, -1, -1), w)
        x = self.conv2(F.interpolate(x, scale_factor=2), w)
        return self.rgb(x)


def fit(gen, z, target, steps=1, lr=1e-3):
    opt = torch.optim.Adam(gen.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        F.mse_loss(gen(z), target).backward()
        opt.step()


class ReferenceAct(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias, slope, gain):
        y = x + bias.view([1, -1] + [1] * (x.dim() - 2))
        ctx.save_for_backward(y)
        ctx.slope, ctx.gain = slope, gain
        return torch.where(y < 0, y * slope, y) * gain

    @staticmethod
    def backward(ctx, grad):
        ctx.pre = ctx.saved_tensors[0]
        return FusedBiasAct.backward(ctx, grad)


# --- driver ---
torch.manual_seed(0)
act, x = BiasAct(4), torch.randn(3, 4, 5, requires_grad=True)
fit(StyleGenerator(), torch.randn(2, 6), torch.rand(2, 3, 8, 8))
act(x).square().sum().backward()
def reference():
    xr, br = x.detach().clone().requires_grad_(), act.bias.detach().clone().requires_grad_()
    ReferenceAct.apply(xr, br, act.slope, act.gain).square().sum().backward()
    return [xr.grad, br.grad]
