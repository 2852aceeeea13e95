import torch
import torch.nn.functional as F
from torch import nn

from .rope import Rotary


class Attn(nn.Module):
    def __init__(self, d, h, n):
        super().__init__()
        self.h = h
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.rot = Rotary(d // h, n)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, -1).permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(self.rot(q), self.rot(k), v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(b, n, d))
