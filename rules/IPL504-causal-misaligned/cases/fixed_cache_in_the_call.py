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

    def forward(self, x, more=2):
        b, n, c = x.shape
        q = self.q(x).view(b, n, self.heads, c // self.heads).transpose(1, 2)
        k = self.k(x).view(b, n, self.heads, c // self.heads).transpose(1, 2)
        v = self.v(x).view(b, n, self.heads, c // self.heads).transpose(1, 2)
        keys = torch.cat((k[:, :, :more], k), -2)
        values = torch.cat((v[:, :, :more], v), -2)
        out = F.scaled_dot_product_attention(q, keys, values, dropout_p=0.0, attn_mask=causal_lower_right(q.size(-2), keys.size(-2)))
        return out.transpose(1, 2).reshape(b, n, c)


block = Block()
block(torch.randn(2, 6, 24)).sum().backward()
