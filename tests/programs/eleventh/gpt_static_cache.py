"""Tiny GPT with rotary positions: trained in parallel, generation through a static cache shared over calls."""
import math
from dataclasses import dataclass

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class GPTConfig:
    vocab: int = 30
    dim: int = 24
    heads: int = 3
    depth: int = 2
    context: int = 24


def rotate(x, cos, sin):
    """Rotary embedding: the pairs are (i, i + d/2)."""
    out = torch.empty_like(x)
    a, b = x.chunk(2, -1)
    half = a.shape[-1]
    out[..., :half] = a * cos - b * sin
    out[..., half:] = a * sin + b * cos
    return out


class Rotary(nn.Module):
    def __init__(self, dim, context, base=100.0):
        super().__init__()
        freq = base ** (-torch.arange(0, dim, 2).float() / dim)
        angle = torch.arange(context)[:, None] * freq
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, start, n):
        return self.cos[start:start + n], self.sin[start:start + n]


class StaticCache:
    def __init__(self, cfg, batch):
        shape = (cfg.depth, batch, cfg.heads, cfg.context, cfg.dim // cfg.heads)
        self.k, self.v = torch.zeros(shape), torch.zeros(shape)
        self.length = 0

    def write(self, layer, k, v):
        end = self.length + k.shape[2]
        self.k[layer, :, :, self.length:end] = k
        self.v[layer, :, :, self.length:end] = v
        return self.k[layer, :, :, :end], self.v[layer, :, :, :end]

    def reset(self):
        self.k.zero_()
        self.v.zero_()
        self.length = 0


class Attention(nn.Module):
    def __init__(self, cfg, index, rotary):
        super().__init__()
        self.cfg, self.index, self.rotary = cfg, index, rotary
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.proj = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x, cache):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.cfg.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        start = 0 if cache is None else cache.length
        cos, sin = self.rotary(start, n)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if cache is not None:
            k, v = cache.write(self.index, k, v)
        scores = q @ k.mT
        scores.mul_(1 / math.sqrt(q.shape[-1]))
        future = torch.arange(k.shape[2]) > (torch.arange(n) + start)[:, None]
        scores.masked_fill_(future, float("-inf"))
        return self.proj((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        rotary = Rotary(cfg.dim // cfg.heads, cfg.context)
        self.emb = nn.Embedding(cfg.vocab, cfg.dim)
        self.attn = nn.ModuleList([Attention(cfg, i, rotary) for i in range(cfg.depth)])
        self.ff = nn.ModuleList([nn.Sequential(nn.RMSNorm(cfg.dim), nn.Linear(cfg.dim, 48), nn.SiLU(), nn.Linear(48, cfg.dim))
                                 for _ in range(cfg.depth)])
        self.norm = nn.ModuleList([nn.RMSNorm(cfg.dim) for _ in range(cfg.depth)])

    def forward(self, ids, cache=None):
        x = self.emb(ids)
        for attn, ff, norm in zip(self.attn, self.ff, self.norm):
            x = x + attn(norm(x), cache)
            x = x + ff(x)
        if cache is not None:
            cache.length += ids.shape[1]
        return x @ self.emb.weight.T


class Generator:
    def __init__(self, model, batch):
        self.model, self.cache = model, StaticCache(model.cfg, batch)

    @torch.inference_mode()
    def __call__(self, prompt, n):
        self.cache.reset()
        ids, out = prompt, [prompt]
        for _ in range(n):
            ids = self.model(ids, self.cache)[:, -1:].argmax(-1)
            out.append(ids)
        return torch.cat(out, 1)


# --- driver ---
torch.manual_seed(0)
model = GPT(GPTConfig())
gen = Generator(model, batch=2)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
for _ in range(3):
    ids = (torch.randint(0, 30, (5, 1)) + 2 * torch.arange(12)) % 30
    loss = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(gen(ids[:2, :4], 5)[0].tolist())
