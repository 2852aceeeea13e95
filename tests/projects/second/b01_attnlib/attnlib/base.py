import math

from torch import nn


class BaseAttention(nn.Module):
    def __init__(self, dim, heads, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.scale = 1 / math.sqrt(dim // heads)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def split(self, x):
        b, n, d = x.shape
        return self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)

    def weights(self, scores, mask):
        raise NotImplementedError

    def forward(self, x, mask=None):
        q, k, v = self.split(x)
        scores = q @ k.transpose(-2, -1)
        scores = scores * self.scale
        w = self.drop(self.weights(scores, mask))
        return self.proj((w @ v).transpose(1, 2).flatten(2))
