import torch
import torch.nn as nn

from .attention import CausalSelfAttention
from .cache import StaticCache


class Block(nn.Module):
    def __init__(self, d, heads, layer):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = CausalSelfAttention(d, heads, layer)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x, cache, pos):
        x = x + self.attn(self.ln1(x), cache, pos)
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, vocab=16, d=16, heads=2, layers=2, max_len=12):
        super().__init__()
        self.cfg = (layers, heads, max_len, d // heads)
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(max_len, d)
        self.blocks = nn.ModuleList([Block(d, heads, i) for i in range(layers)])
        self.ln = nn.LayerNorm(d)
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.tok.weight

    def new_cache(self, batch):
        layers, heads, max_len, d = self.cfg
        return StaticCache(layers, batch, heads, max_len, d)

    def forward(self, idx, cache, pos):
        p = torch.arange(pos, pos + idx.size(1))
        x = self.tok(idx) + self.pos(p)
        for b in self.blocks:
            x = b(x, cache, pos)
        return self.head(self.ln(x))
