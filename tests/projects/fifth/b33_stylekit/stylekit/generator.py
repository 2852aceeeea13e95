import torch
from torch import nn

from .modconv import EqualLinear, ModulatedConv2d, NoiseInjection


class PixelNorm(nn.Module):
    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(1, keepdim=True) + 1e-8)


class StyledConv(nn.Module):
    def __init__(self, cin, cout, style_dim, upsample=False):
        super().__init__()
        self.conv = ModulatedConv2d(cin, cout, 3, style_dim, upsample=upsample)
        self.noise = NoiseInjection()
        self.bias = nn.Parameter(torch.zeros(1, cout, 1, 1))
        self.act = nn.LeakyReLU(0.2, inplace=True)

    def forward(self, x, style, noise=None):
        out = self.noise(self.conv(x, style), noise)
        out += self.bias
        return self.act(out)


class ToRGB(nn.Module):
    def __init__(self, cin, style_dim):
        super().__init__()
        self.conv = ModulatedConv2d(cin, 3, 1, style_dim, demodulate=False)
        self.up = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)

    def forward(self, x, style, skip=None):
        out = self.conv(x, style)
        if skip is not None:
            out += self.up(skip)
        return out


class Generator(nn.Module):
    """forward(z or list of z) -> images. With two z the styles are mixed at ``inject_index``."""

    def __init__(self, style_dim=8, n_mlp=2, ch=6, n_up=1):
        super().__init__()
        self.style = nn.Sequential(PixelNorm(), *[EqualLinear(style_dim, style_dim, lr_mul=0.01, activation=True) for _ in range(n_mlp)])
        self.const = nn.Parameter(torch.randn(1, ch, 4, 4))
        self.conv1 = StyledConv(ch, ch, style_dim)
        self.rgb1 = ToRGB(ch, style_dim)
        self.ups = nn.ModuleList(StyledConv(ch, ch, style_dim, upsample=True) for _ in range(n_up))
        self.rgbs = nn.ModuleList(ToRGB(ch, style_dim) for _ in range(n_up))

    def forward(self, z, inject_index=1):
        zs = z if isinstance(z, (list, tuple)) else [z]
        ws = [self.style(v) for v in zs]
        pick = lambda i: ws[0] if i < inject_index else ws[-1]
        x = self.const.repeat(ws[0].size(0), 1, 1, 1)
        x = self.conv1(x, pick(0))
        img = self.rgb1(x, pick(0))
        for i, (up, rgb) in enumerate(zip(self.ups, self.rgbs), 1):
            x = up(x, pick(i))
            img = rgb(x, pick(i), img)
        return img
