import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.bias import causal_lower_right


class Block(nn.Module):
    def __init__(self, dim=24, heads=3):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def split(self, x):
        b, n, c = x.shape
        return x.view(b, n, self.heads, c // self.heads).transpose(1, 2)

    def forward(self, x, past=None):
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, c // self.heads).transpose(1, 2)
        k = self.k(x).view(b, n, self.heads, c // self.heads).transpose(1, 2)
        v = self.v(x).view(b, n, self.heads, c // self.heads).transpose(1, 2)
        past_k, past_v = (k[:, :, :2], v[:, :, :2]) if past is None else past
        k = torch.cat([past_k, k], dim=2)
        v = torch.cat([past_v, v], dim=2)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(q.size(-2), k.size(-2)))
        return out.transpose(1, 2).reshape(b, n, c)


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
