"""Decoder with a preallocated key/value cache, trained by free running rollout."""
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class DecoderConfig:
    vocab: int = 16
    dim: int = 8
    heads: int = 2
    layers: int = 1
    max_len: int = 8


class KVCache:
    def __init__(self, batch, cfg):
        shape = (batch, cfg.heads, cfg.max_len, cfg.dim // cfg.heads)
        self.k = torch.zeros(shape)
        self.v = torch.zeros(shape)
        self.length = 0

    def append(self, k, v):
        pos = self.length
        self.k = torch.cat([self.k[:, :, :pos], k, self.k[:, :, pos + 1:]], 2)
        self.v[:, :, pos:pos + 1] = v  # BUG
        self.length += 1
        return self.k[:, :, :self.length], self.v[:, :, :self.length]


class CachedAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.proj = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x, cache):
        b = x.shape[0]
        q, k, v = (t.view(b, 1, self.cfg.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        k, v = cache.append(k, v)
        att = (q @ k.transpose(-1, -2)) / math.sqrt(q.shape[-1])
        y = att.softmax(-1) @ v
        return self.proj(y.transpose(1, 2).reshape(b, 1, -1))


class DecoderLayer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = CachedAttention(cfg)
        self.ff = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.GELU(), nn.Linear(2 * cfg.dim, cfg.dim))

    def forward(self, x, cache):
        x = x + self.attn(self.n1(x), cache)
        return x + self.ff(self.n2(x))


class Decoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Embedding(cfg.max_len, cfg.dim)
        self.layers = nn.ModuleList(DecoderLayer(cfg) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def step(self, token, caches):
        t = caches[0].length
        x = self.tok(token)[:, None] + self.pos.weight[t]
        for layer, cache in zip(self.layers, caches):
            x = layer(x, cache)
        return self.head(x[:, 0])

    def rollout(self, bos, target, sampling=0.5):
        caches = [KVCache(len(bos), self.cfg) for _ in self.layers]
        token, loss = bos, 0.0
        for t in range(target.shape[1]):
            logits = self.step(token, caches)
            loss = loss + F.cross_entropy(logits, target[:, t])
            own = torch.rand(len(bos)) < sampling
            token = torch.where(own, logits.argmax(-1), target[:, t])
        return loss / target.shape[1]


# --- driver ---
torch.manual_seed(22)
dec = Decoder(DecoderConfig())
opt = torch.optim.Adam(dec.parameters())
loss = dec.rollout(torch.zeros(2, dtype=torch.long), torch.randint(0, 16, (2, 4)))
loss.backward()
opt.step()
