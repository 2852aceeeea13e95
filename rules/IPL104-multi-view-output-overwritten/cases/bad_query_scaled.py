"""Queries that come out of `unbind` are scaled in place."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.heads = heads
        self.scale = (width // heads) ** -0.5

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(x).reshape(batch, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        q *= self.scale  # expect: IPL104
        weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)  # expect: IPL401
        return (weights @ v).transpose(1, 2).reshape(batch, length, width)


if __name__ == "__main__":
    Attention(8, 2)(torch.randn(2, 3, 8)).sum().backward()
