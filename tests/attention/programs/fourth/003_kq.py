import torch
import torch.nn as nn
import torch.nn.functional as F


class SpatialAttention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.GroupNorm(2, channels)
        self.qkv = nn.Conv2d(channels, channels * 3, kernel_size=1, bias=False)
        self.proj = nn.Conv2d(channels, channels, kernel_size=1)

    def forward(self, x):
        n, c, h, w = x.shape
        dim = c // self.heads
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=1)
        q = q.reshape(n * self.heads, dim, h * w)
        k = k.reshape(n * self.heads, dim, h * w)
        v = v.reshape(n * self.heads, dim, h * w)

        kq = torch.bmm(k.transpose(1, 2), q).mul(dim ** -0.5)
        kq = F.softmax(kq, dim=1)  # ATTN
        out = torch.bmm(v, kq)

        out = out.reshape(n, c, h, w)
        return x + self.proj(out)


class Stage(nn.Module):
    def __init__(self, cin, c, heads):
        super().__init__()
        self.stem = nn.Conv2d(cin, c, 3, stride=2, padding=1)
        self.attn = SpatialAttention(c, heads)

    def forward(self, img):
        return self.attn(F.silu(self.stem(img)))


def make():
    torch.manual_seed(23)
    net = Stage(3, 12, 2)
    net.eval()
    return net, (torch.randn(2, 3, 8, 10, requires_grad=True),)
