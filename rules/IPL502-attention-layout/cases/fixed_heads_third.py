import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, dim=24, heads=3):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, c // self.heads)
        k = self.k(x).view(b, n, self.heads, c // self.heads)
        v = self.v(x).view(b, n, self.heads, c // self.heads)
        out = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True).transpose(1, 2)
        return out.reshape(b, n, c)


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
