"""A small language model's attention, with the triangle as a buffer: the mask is exactly `is_causal`."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class CausalAttention(nn.Module):
    def __init__(self, width=48, heads=4, longest=128):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        triangle = torch.tril(torch.ones(longest, longest)).view(1, 1, longest, longest)
        self.register_buffer("triangle", triangle)

    def forward(self, x):
        b, t, c = x.size()
        q = self.query(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        k = self.key(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        v = self.value(x).view(b, t, self.heads, c // self.heads).transpose(1, 2)
        scores = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        scores = scores.masked_fill(self.triangle[:, :, :t, :t] == 0, float("-inf"))
        weights = F.softmax(scores, dim=-1)
        return (weights @ v).transpose(1, 2).contiguous().view(b, t, c)


torch.manual_seed(0)
model = CausalAttention()
x = torch.randn(2, 20, 48)
later = x.clone()
later[:, 10:] = 0
same = torch.equal(model(x)[:, :10], model(later)[:, :10])
print(f"the first ten outputs do not see what comes after them: {same}")
