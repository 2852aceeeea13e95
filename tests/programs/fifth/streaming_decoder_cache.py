"""Streaming decoder with a static key/value cache, trained through the unrolled steps."""
from dataclasses import dataclass
from typing import Optional
import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class DecoderConfig:
    vocab: int = 12
    dim: int = 8
    heads: int = 2
    layers: int = 1
    max_len: int = 8

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


class KVCache:
    def __init__(self, cfg: DecoderConfig, batch: int):
        shape = (batch, cfg.heads, cfg.max_len, cfg.head_dim)
        self.k = torch.zeros(shape)
        self.v = torch.zeros(shape)
        self.length = 0

    def append(self, k, v):
        t = self.length
        self.k[:, :, t:t + 1] = k
        self.v[:, :, t:t + 1].copy_(v)  # BUG
        self.length = t + 1
        return torch.stack(self.k.unbind(2)[:t + 1], dim=2), self.v[:, :, :t + 1]


class CachedAttention(nn.Module):
    def __init__(self, cfg: DecoderConfig):
        super().__init__()
        self.cfg = cfg
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x, cache: KVCache):
        b = x.size(0)
        q, k, v = (t.view(b, 1, self.cfg.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        k, v = cache.append(k, v)
        w = torch.softmax(q @ k.transpose(-1, -2) / self.cfg.head_dim ** 0.5, -1)
        y = (w @ v).transpose(1, 2).reshape(b, 1, -1)
        return self.out(y)


class Layer(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(cfg.dim), nn.LayerNorm(cfg.dim)
        self.attn = CachedAttention(cfg)
        self.ff = nn.Sequential(nn.Linear(cfg.dim, 2 * cfg.dim), nn.GELU(), nn.Linear(2 * cfg.dim, cfg.dim))

    def forward(self, x, cache):
        x = x + self.attn(self.n1(x), cache)
        return x + self.ff(self.n2(x))


class Decoder(nn.Module):
    def __init__(self, cfg: DecoderConfig):
        super().__init__()
        self.cfg = cfg
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.pos = nn.Parameter(torch.randn(cfg.max_len, cfg.dim) * 0.02)
        self.layers = nn.ModuleList(Layer(cfg) for _ in range(cfg.layers))
        self.head = nn.Linear(cfg.dim, cfg.vocab)

    def unroll(self, ids, caches: Optional[list] = None):
        caches = caches or [KVCache(self.cfg, ids.size(0)) for _ in self.layers]
        outs = []
        for t in range(ids.size(1)):
            x = self.emb(ids[:, t:t + 1]) + self.pos[t]
            for layer, cache in zip(self.layers, caches):
                x = layer(x, cache)
            outs.append(self.head(x))
        return torch.cat(outs, 1)


def train_step(model, opt, ids):
    logits = model.unroll(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
dec = Decoder(DecoderConfig())
train_step(dec, torch.optim.Adam(dec.parameters(), 1e-3), torch.randint(0, 12, (2, 6)))
