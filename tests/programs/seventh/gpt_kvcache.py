"""Character-level GPT with a preallocated key/value cache for decoding."""
import math
from dataclasses import dataclass
from typing import List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GPTConfig:
    vocab: int = 16
    ctx: int = 12
    dim: int = 16
    heads: int = 2
    layers: int = 2


def sinusoid(n, d):
    pos = torch.arange(n).float().unsqueeze(1)
    div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(1e4) / d))
    pe = torch.zeros(n, d)
    pe[:, 0::2] = torch.sin(pos * div)
    pe[:, 1::2] = torch.cos(pos * div)
    return pe


class KVCache:
    def __init__(self, batch, heads, ctx, dk):
        self.k = torch.zeros(batch, heads, ctx, dk)
        self.v = torch.zeros(batch, heads, ctx, dk)
        self.pos = 0

    def append(self, k, v):
        n = k.size(2)
        self.k[:, :, self.pos:self.pos + n] = k
        self.v[:, :, self.pos:self.pos + n] = v
        self.pos += n
        return self.k[:, :, :self.pos], self.v[:, :, :self.pos]


class Attention(nn.Module):
    def __init__(self, cfg: GPTConfig):
        super().__init__()
        self.h, self.dk = cfg.heads, cfg.dim // cfg.heads
        self.qkv, self.proj = nn.Linear(cfg.dim, 3 * cfg.dim), nn.Linear(cfg.dim, cfg.dim)
        bias = torch.zeros(cfg.ctx, cfg.ctx)
        bias.masked_fill_(torch.ones_like(bias).triu(1).bool(), float("-inf"))
        self.register_buffer("bias", bias, persistent=False)

    def forward(self, x, cache: Optional[KVCache] = None):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.h, self.dk).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        start = 0
        if cache is not None:
            start = cache.pos
            k, v = cache.append(k, v)
        att = q @ k.transpose(-1, -2)
        att *= self.dk ** -0.5
        att += self.bias[start:start + n, : k.size(2)]
        y = att.softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(b, n, d))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.att = Attention(cfg)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.ReLU(inplace=True), nn.Linear(2 * cfg.dim, cfg.dim))

    def forward(self, x, cache=None):
        y = self.att(self.ln1(x), cache)
        y += x
        z = self.mlp(self.ln2(y))
        z += y
        return z


class GPT(nn.Module):
    def __init__(self, cfg: GPTConfig):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.register_buffer("pe", sinusoid(cfg.ctx, cfg.dim))
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def forward(self, ids, caches: Optional[List[KVCache]] = None):
        start = caches[0].pos if caches else 0
        x = self.tok(ids)
        x += self.pe[start:start + ids.size(1)]
        for i, b in enumerate(self.blocks):
            x = b(x, caches[i] if caches else None)
        return self.head(x)

    @torch.no_grad()
    def generate(self, ids, n):
        dk = self.cfg.dim // self.cfg.heads
        caches = [KVCache(len(ids), self.cfg.heads, self.cfg.ctx, dk) for _ in self.blocks]
        out, cur = [ids], ids
        for _ in range(n):
            logits = self(cur, caches)[:, -1]
            logits[:, 0] = float("-inf")
            cur = logits.softmax(-1).multinomial(1)
            out.append(cur)
        return torch.cat(out, 1)


def train_step(model, opt, ids):
    loss = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
gpt = GPT(GPTConfig())
opt = torch.optim.AdamW(gpt.parameters(), lr=1e-3)
for _ in range(2):
    train_step(gpt, opt, torch.randint(16, (3, 11)))
gpt.generate(torch.randint(1, 16, (2, 4)), 5)
