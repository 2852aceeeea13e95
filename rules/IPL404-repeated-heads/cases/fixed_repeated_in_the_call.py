import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, dim=24, heads=6, groups=2):
        super().__init__()
        self.heads, self.groups = heads, groups
        self.q = nn.Linear(dim, dim)
        self.k, self.v = nn.Linear(dim, groups * dim // heads), nn.Linear(dim, groups * dim // heads)

    def forward(self, x):
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, c // self.heads).transpose(1, 2)
        k = self.k(x).view(b, n, self.groups, c // self.heads).transpose(1, 2)
        v = self.v(x).view(b, n, self.groups, c // self.heads).transpose(1, 2)
        out = F.scaled_dot_product_attention(
            q, k, v, enable_gqa=True
        )
        return out.transpose(1, 2).reshape(b, n, c)


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
