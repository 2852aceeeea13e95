"""A vision transformer's attention as it is usually written: all weights are kept until backward."""

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width=64, heads=4, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.scale = (width // heads) ** -0.5
        self.qkv = nn.Linear(width, 3 * width)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) * self.scale
        weights = scores.softmax(dim=-1)
        weights = self.drop(weights)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, tokens, width))


torch.manual_seed(0)
block = Attention()
kept = []
with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
    block(torch.randn(2, 197, 64)).sum().backward()
large = [t for t in kept if t.shape[-2:] == (197, 197)]
print(f"{len(large)} tensors of 197×197 for each head were kept for backward")
