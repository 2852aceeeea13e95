import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, channels=24, heads=3):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Conv2d(channels, channels * 3, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(x).reshape(b, 3, self.heads, c // self.heads, h * w).unbind(1)
        scores = torch.einsum("bhci,bhcj->bhij", q, k)
        weights = scores.softmax(dim=3)  # expect: IPL401
        out = torch.einsum("bhij,bhcj->bhci", weights, v)
        return out.reshape(b, c, h, w)


Block()(torch.randn(2, 24, 4, 5)).sum().backward()
