"""Decoder trained with scheduled sampling; tokens are fed one at a time through a preallocated cache."""
import math
from dataclasses import dataclass
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class DecoderConfig:
    vocab: int = 30
    dim: int = 24
    heads: int = 3
    layers: int = 2
    max_len: int = 16


class KVCache:
    def __init__(self, bsz, heads, max_len, head_dim):
        self.keys = []
        self.v = torch.zeros(bsz, heads, max_len, head_dim)
        self.pos = 0

    def append(self, k, v):
        end = self.pos + k.size(2)
        self.keys.append(k)
        self.v[:, :, self.pos:end] = v  # BUG
        self.pos = end
        return torch.cat(self.keys, dim=2), self.v[:, :, :end]


class CachedAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.h, self.d = cfg.heads, cfg.dim // cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x, cache):
        b, t, _ = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.h, self.d).permute(2, 0, 3, 1, 4).unbind(0)
        k, v = cache.append(k, v)
        w = F.softmax(q @ k.transpose(-1, -2) / math.sqrt(self.d), dim=-1)
        return self.out((w @ v).transpose(1, 2).reshape(b, t, -1))


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
        self.norm = nn.LayerNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def new_caches(self, bsz) -> List[KVCache]:
        c = self.cfg
        return [KVCache(bsz, c.heads, c.max_len, c.dim // c.heads) for _ in range(c.layers)]

    def step(self, tok, caches):
        x = self.tok(tok).unsqueeze(1) + self.pos.weight[caches[0].pos]
        for layer, cache in zip(self.layers, caches):
            x = layer(x, cache)
        return self.head(self.norm(x)).squeeze(1)


def scheduled_sampling_loss(model, target, p_model=0.25):
    caches = model.new_caches(target.size(0))
    tok, losses = target[:, 0], []
    for t in range(target.size(1) - 1):
        logits = model.step(tok, caches)
        losses.append(F.cross_entropy(logits, target[:, t + 1]))
        use_own = torch.rand(target.size(0)) < p_model
        tok = torch.where(use_own, logits.argmax(-1), target[:, t + 1])
    return torch.stack(losses).mean()


def finetune(model, batches, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for target in batches:
        loss = scheduled_sampling_loss(model, target)
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
cfg = DecoderConfig()
finetune(Decoder(cfg), [torch.randint(0, cfg.vocab, (2, 6))])
