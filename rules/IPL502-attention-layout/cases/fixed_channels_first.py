import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, channels=24, heads=3):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Conv2d(channels, channels * 3, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(x).reshape(b, 3, self.heads, c // self.heads, h * w).unbind(1)
        out = F.scaled_dot_product_attention(q.transpose(-2, -1).contiguous(), k.transpose(-2, -1).contiguous(), v.transpose(-2, -1).contiguous()).transpose(-2, -1)
        return out.reshape(b, c, h, w)


Block()(torch.randn(2, 24, 4, 5)).sum().backward()
