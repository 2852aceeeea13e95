import math

import torch
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def _heads(self, x):
        return x.view(x.size(0), -1, self.heads, self.hd).transpose(1, 2)

    def forward(self, x, cache):
        q = self._heads(self.q(x))
        k, v = cache.append(self._heads(self.k(x)), self._heads(self.v(x)))
        w = (q @ k.transpose(-1, -2) / math.sqrt(self.hd)).softmax(-1)
        return self.o((w @ v).transpose(1, 2).flatten(2))
