from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


class VolumeNorm(nn.Module):
    """Instance normalisation with moments over the foreground only."""

    def __init__(self, channels, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.gain = nn.Parameter(torch.ones(channels, 1, 1, 1))
        self.shift = nn.Parameter(torch.zeros(channels, 1, 1, 1))

    def forward(self, x, fg):
        count = fg.sum((2, 3, 4), keepdim=True).clamp(min=1)
        mean = (x * fg).sum((2, 3, 4), keepdim=True) / count
        var = ((x - mean).square() * fg).sum((2, 3, 4), keepdim=True) / count
        x = (x - mean) * torch.rsqrt(var + self.eps)
        scaled = x * self.gain
        x -= self.shift  # BUG
        return scaled + 0.1 * x


class ConvUnit(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.conv = nn.Conv3d(cin, cout, 3, padding=1)
        self.norm = VolumeNorm(cout)
        self.act = nn.LeakyReLU(0.01, inplace=True)

    def forward(self, x, fg):
        return self.act(self.norm(self.conv(x), fg))


class UNet3D(nn.Module):
    def __init__(self, cin=1, base=4, classes=2):
        super().__init__()
        self.down1, self.down2 = ConvUnit(cin, base), ConvUnit(base, 2 * base)
        self.up = nn.ConvTranspose3d(2 * base, base, 2, stride=2)
        self.fuse = ConvUnit(2 * base, base)
        self.aux = nn.Conv3d(2 * base, classes, 1)
        self.out = nn.Conv3d(base, classes, 1)

    def forward(self, x, fg):
        half = partial(F.max_pool3d, kernel_size=2)
        a = self.down1(x, fg)
        b = self.down2(half(a), half(fg))
        c = self.fuse(torch.cat([a, self.up(b)], 1), fg)
        return self.out(c), self.aux(b)


def soft_dice(logits, target, eps=1.0):
    probs = logits.softmax(1)
    onehot = torch.zeros_like(probs).scatter_(1, target.unsqueeze(1), 1.0)
    dims = (0, 2, 3, 4)
    inter = (probs * onehot).sum(dims)
    return 1 - ((2 * inter + eps) / (probs.sum(dims) + onehot.sum(dims) + eps)).mean()


class DeepSupervision:
    def __init__(self, weights=(1.0, 0.5)):
        self.weights = weights

    def __call__(self, outputs, target):
        total = 0.0
        for w, out in zip(self.weights, outputs):
            t = F.interpolate(target.unsqueeze(1).float(), size=out.shape[2:], mode="nearest").squeeze(1).long()
            total = total + w * (soft_dice(out, t) + F.cross_entropy(out, t))
        return total


def window_ct(volume, low=-1.0, high=1.0):
    return volume.clamp_(low, high).sub_(low).div_(high - low)


def train_case(net, opt, volume, label):
    fg = (volume > 0).float()
    loss = DeepSupervision()(net(window_ct(volume), fg), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net = UNet3D()
train_case(net, torch.optim.SGD(net.parameters(), 1e-2), torch.randn(1, 1, 8, 8, 8), torch.randint(0, 2, (1, 8, 8, 8)))
