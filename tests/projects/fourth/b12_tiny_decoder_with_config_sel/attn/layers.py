import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class HeadNorm(nn.Module):
    def forward(self, t):
        return F.normalize(t, dim=-1) * math.sqrt(t.size(-1))


class Attention(nn.Module):
    def __init__(self, cfg, position):
        super().__init__()
        self.h = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim, bias=False)
        self.out = nn.Linear(cfg.dim, cfg.dim)
        self.norm = HeadNorm() if cfg.qk_norm else nn.Identity()
        self.position = position

    def forward(self, x, mask):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = self.norm(q), self.norm(k)
        q, k = self.position.rotate(q), self.position.rotate(k)
        att = q @ k.transpose(-1, -2) / math.sqrt(d // self.h)
        att.masked_fill_(mask[:n, :n], float("-inf"))
        y = att.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, cfg, position):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = Attention(cfg, position)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.GELU(), nn.Linear(2 * cfg.dim, cfg.dim))

    def forward(self, x, mask):
        x = x + self.attn(self.ln1(x), mask)
        return x + self.mlp(self.ln2(x))
