"""A small prefix language model that is unrolled token by token with a preallocated key/value cache."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class LMConfig:
    vocab: int = 37
    dim: int = 32
    heads: int = 4
    layers: int = 2
    max_len: int = 16

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


class LayerCache:
    """Static storage for the keys and values of one layer."""

    def __init__(self, batch: int, cfg: LMConfig):
        shape = (batch, cfg.heads, cfg.max_len, cfg.head_dim)
        self.keys = torch.zeros(shape)
        self.values = [None] * cfg.max_len
        self.length = 0

    def append(self, k: torch.Tensor, v: torch.Tensor):
        self.keys[:, :, self.length] = k  # BUG
        self.values[self.length] = v
        self.length += 1
        return self.keys[:, :, : self.length], torch.stack(self.values[: self.length], dim=2)


class CachedAttention(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.cfg = cfg
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x: torch.Tensor, cache: LayerCache) -> torch.Tensor:
        b, c = x.size(0), self.cfg
        q, k, v = (t.view(b, c.heads, c.head_dim) for t in self.qkv(x).split(c.dim, dim=-1))
        keys, values = cache.append(k, v)
        scores = torch.einsum("bhd,bhtd->bht", q, keys) / math.sqrt(c.head_dim)
        mixed = torch.einsum("bht,bhtd->bhd", scores.softmax(-1), values)
        return self.out(mixed.reshape(b, c.dim))


class Block(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = CachedAttention(cfg)
        self.ff = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.GELU(), nn.Linear(2 * cfg.dim, cfg.dim))

    def forward(self, x, cache):
        x = x + self.attn(self.n1(x), cache)
        return x + self.ff(self.n2(x))


class PrefixLM(nn.Module):
    def __init__(self, cfg: LMConfig):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(torch.randn(cfg.max_len, cfg.dim) * 0.02)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def step(self, ids, t, caches):
        x = self.tok(ids) + self.pos[t]
        for block, cache in zip(self.blocks, caches):
            x = block(x, cache)
        return self.head(x)

    def unroll(self, ids):
        caches = [LayerCache(ids.size(0), self.cfg) for _ in self.blocks]
        return torch.stack([self.step(ids[:, t], t, caches) for t in range(ids.size(1) - 1)], dim=1)


def prefix_loss(logits, ids, prefix: int):
    """Cross entropy of what follows the prefix."""
    target = ids[:, 1:].clone()
    target[:, : prefix - 1] = -100
    return F.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=-100)


# --- driver ---
torch.manual_seed(0)
cfg = LMConfig()
model = PrefixLM(cfg)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(2):
    ids = torch.randint(0, cfg.vocab, (3, 8))
    opt.zero_grad()
    loss = prefix_loss(model.unroll(ids), ids, prefix=3)
    loss.backward()
    opt.step()
