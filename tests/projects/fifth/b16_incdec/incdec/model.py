import math

import torch
import torch.nn.functional as F
from torch import nn

from .cache import DynamicCache, StaticCache


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, layer_idx):
        super().__init__()
        self.h, self.d, self.layer_idx = heads, dim // heads, layer_idx
        self.qkv = nn.Linear(dim, 3 * dim)
        self.o = nn.Linear(dim, dim)

    def forward(self, x, pos, cache):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4).unbind(0)
        k, v = cache.update(self.layer_idx, pos, k, v)
        att = q @ k.transpose(-2, -1)
        att /= math.sqrt(self.d)
        future = torch.arange(k.size(2))[None, :] > pos[:, None]
        att.masked_fill_(future, float("-inf"))
        y = att.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, -1))


class Block(nn.Module):
    def __init__(self, dim, heads, idx):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads, idx)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim))

    def forward(self, x, pos, cache):
        x = x + self.attn(self.ln1(x), pos, cache)
        x = x + self.mlp(self.ln2(x))
        return x


class IncrementalDecoder(nn.Module):
    """Small decoder which can be unrolled step by step with gradients (soft decoding).

    cache: "dynamic" (default) or "static" (no reallocation).
    ``soft_decode(tok, steps)`` feeds back the expected embedding; returns logits (B, steps, V).
    """

    def __init__(self, vocab=11, dim=8, heads=2, layers=2, max_len=8, cache="dynamic"):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.pos = nn.Embedding(max_len, dim)
        self.blocks = nn.ModuleList(Block(dim, heads, i) for i in range(layers))
        self.norm = nn.LayerNorm(dim)
        self.heads, self.dim, self.max_len, self.cache = heads, dim, max_len, cache

    def make_cache(self, batch):
        n = len(self.blocks)
        if self.cache == "dynamic":
            return DynamicCache(n)
        return StaticCache(n, batch, self.heads, self.max_len, self.dim // self.heads, self.embed.weight)

    def step(self, x, t, cache):
        pos = torch.tensor([t])
        x = x + self.pos(pos)
        for blk in self.blocks:
            x = blk(x, pos, cache)
        return self.norm(x) @ self.embed.weight.t()

    def soft_decode(self, tok, steps, tau=1.0):
        cache = self.make_cache(tok.size(0))
        x = self.embed(tok).unsqueeze(1)
        outs = []
        for t in range(steps):
            logits = self.step(x, t, cache)
            outs.append(logits)
            x = F.softmax(logits / tau, -1) @ self.embed.weight
        return torch.cat(outs, 1)
