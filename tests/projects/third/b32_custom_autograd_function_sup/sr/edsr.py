import torch
import torch.nn as nn
from .functional import soft_clip


class ResBlock(nn.Module):
    def __init__(self, n_feat, res_scale=0.1):
        super().__init__()
        self.conv1 = nn.Conv2d(n_feat, n_feat, 3, padding=1)
        self.conv2 = nn.Conv2d(n_feat, n_feat, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)
        self.res_scale = res_scale

    def forward(self, x):
        res = self.conv2(self.relu(self.conv1(x)))
        res = soft_clip(res)
        res = res.mul_(self.res_scale)  # BUG
        res += x
        return res


class Upsampler(nn.Sequential):
    def __init__(self, scale, n_feat):
        super().__init__(nn.Conv2d(n_feat, n_feat * scale ** 2, 3, padding=1), nn.PixelShuffle(scale))


class EDSR(nn.Module):
    def __init__(self, n_resblocks=2, n_feat=8, scale=2, rgb_range=1.0, mean=(0.45, 0.44, 0.40)):
        super().__init__()
        self.register_buffer('mean', rgb_range * torch.tensor(mean).view(1, 3, 1, 1))
        self.head = nn.Conv2d(3, n_feat, 3, padding=1)
        self.body = nn.Sequential(*[ResBlock(n_feat) for _ in range(n_resblocks)],
                                  nn.Conv2d(n_feat, n_feat, 3, padding=1))
        self.tail = nn.Sequential(Upsampler(scale, n_feat), nn.Conv2d(n_feat, 3, 3, padding=1))

    def forward(self, x):
        x = self.head(x - self.mean)
        res = self.body(x)
        res += x
        x = self.tail(res)
        x += self.mean
        return x
