import math

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, dim=24, heads=3, block_size=16):
        super().__init__()
        self.heads = heads
        self.key, self.query, self.value = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.register_buffer("mask", torch.tril(torch.ones(block_size, block_size)).view(1, 1, block_size, block_size))

    def forward(self, x):
        b, t, c = x.size()
        k = self.key(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        q = self.query(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = self.value(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)  # expect: IPL401
        y = att @ v
        return y.transpose(1, 2).contiguous().view(b, t, c)


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
