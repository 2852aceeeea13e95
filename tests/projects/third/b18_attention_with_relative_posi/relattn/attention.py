import math
import torch
import torch.nn as nn
from .utils import apply_mask, relative_buckets


class RelativeMultiheadAttention(nn.Module):
    def __init__(self, d_model, n_heads, max_dist=4, dropout=0.0):
        super().__init__()
        self.h, self.dk = n_heads, d_model // n_heads
        self.max_dist = max_dist
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.proj = nn.Linear(d_model, d_model)
        self.rel_k = nn.Embedding(2 * max_dist + 1, self.dk)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, pad_mask=None):
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.h, self.dk).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2)
        rel = self.rel_k(relative_buckets(T, self.max_dist))
        scores += torch.einsum('bhid,ijd->bhij', q, rel)
        scores /= math.sqrt(self.dk)
        if pad_mask is not None:
            scores = apply_mask(scores, pad_mask[:, None, None, :], -1e4)
        attn = torch.softmax(scores, dim=-1)
        if pad_mask is not None:
            # padded queries should not attend to anything
            attn = apply_mask(attn, pad_mask[:, None, :, None], 0.0)
        attn = self.dropout(attn)
        out = (attn @ v).transpose(1, 2).reshape(B, T, D)
        return self.proj(out)


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff):
        super().__init__()
        self.attn = RelativeMultiheadAttention(d_model, n_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(inplace=True), nn.Linear(d_ff, d_model))
        self.n1, self.n2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, pad_mask=None):
        x = x + self.attn(self.n1(x), pad_mask)
        return x + self.ff(self.n2(x))
