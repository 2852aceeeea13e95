"""Decoder-only LM with rotary positions, grouped-query attention and a preallocated cache for generation."""
from dataclasses import dataclass, field
from typing import List, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class LMArgs:
    vocab: int = 24
    dim: int = 32
    heads: int = 4
    kv_heads: int = 2
    layers: int = 2
    max_len: int = 24

    @property
    def head_dim(self) -> int:
        return self.dim // self.heads


def rotary_table(head_dim: int, max_len: int, base: float = 10000.0):
    inv = base ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angle = torch.outer(torch.arange(max_len).float(), inv)
    return angle.cos(), angle.sin()


def rotate(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = even * cos - odd * sin
    out[..., 1::2] = even * sin + odd * cos
    return out


@dataclass
class Cache:
    k: List[torch.Tensor] = field(default_factory=list)
    v: List[torch.Tensor] = field(default_factory=list)
    used: int = 0

    @classmethod
    def allocate(cls, args: LMArgs, batch: int) -> "Cache":
        shape = (batch, args.kv_heads, args.max_len, args.head_dim)
        return cls([torch.zeros(shape) for _ in range(args.layers)], [torch.zeros(shape) for _ in range(args.layers)])

    def put(self, layer: int, k: torch.Tensor, v: torch.Tensor):
        end = self.used + k.size(2)
        self.k[layer][:, :, self.used:end] = k
        self.v[layer][:, :, self.used:end] = v
        return self.k[layer][:, :, :end], self.v[layer][:, :, :end]


class GroupedAttention(nn.Module):
    def __init__(self, args: LMArgs, index: int):
        super().__init__()
        self.args, self.index = args, index
        self.q = nn.Linear(args.dim, args.dim, bias=False)
        self.kv = nn.Linear(args.dim, 2 * args.kv_heads * args.head_dim, bias=False)
        self.o = nn.Linear(args.dim, args.dim, bias=False)

    def forward(self, x, cos, sin, cache: Optional[Cache]):
        b, n, _ = x.shape
        a = self.args
        q = rotate(self.q(x).view(b, n, a.heads, a.head_dim).transpose(1, 2), cos, sin)
        k, v = self.kv(x).view(b, n, 2 * a.kv_heads, a.head_dim).transpose(1, 2).chunk(2, dim=1)
        k = rotate(k, cos, sin)
        if cache is not None:
            k, v = cache.put(self.index, k, v)
        k, v = (t.repeat_interleave(a.heads // a.kv_heads, dim=1) for t in (k, v))
        scores = q @ k.transpose(-1, -2) * a.head_dim ** -0.5
        total = k.size(2)
        future = torch.arange(total) > torch.arange(total - n, total).unsqueeze(1)
        scores.masked_fill_(future, float("-inf"))
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, -1))


class LM(nn.Module):
    def __init__(self, args: LMArgs):
        super().__init__()
        self.args = args
        self.tok = nn.Embedding(args.vocab, args.dim)
        self.attn = nn.ModuleList(GroupedAttention(args, i) for i in range(args.layers))
        self.mlp = nn.ModuleList(nn.Sequential(nn.RMSNorm(args.dim), nn.Linear(args.dim, 64), nn.SiLU(), nn.Linear(64, args.dim)) for _ in range(args.layers))
        self.norm = nn.ModuleList(nn.RMSNorm(args.dim) for _ in range(args.layers + 1))
        for name, table in zip(("cos", "sin"), rotary_table(args.head_dim, args.max_len)):
            self.register_buffer(name, table, persistent=False)

    def forward(self, ids, cache: Optional[Cache] = None):
        start = cache.used if cache else 0
        cos, sin = self.cos[start:start + ids.size(1)], self.sin[start:start + ids.size(1)]
        x = self.tok(ids)
        for norm, attn, mlp in zip(self.norm, self.attn, self.mlp):
            x = x + attn(norm(x), cos, sin, cache)
            x = x + mlp(x)
        if cache is not None:
            cache.used += ids.size(1)
        return F.linear(self.norm[-1](x), self.tok.weight)

    @torch.no_grad()
    def generate(self, prompt, new):
        cache, ids, feed = Cache.allocate(self.args, prompt.size(0)), prompt, prompt
        for _ in range(new):
            feed = self(feed, cache)[:, -1:].argmax(-1)
            ids = torch.cat([ids, feed], dim=1)
        return ids


# --- driver ---
torch.manual_seed(8)
lm = LM(LMArgs())
opt = torch.optim.AdamW(lm.parameters(), lr=3e-3)
for _ in range(3):
    ids = torch.randint(0, 24, (4, 16))
    loss = F.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print(lm.generate(ids[:, :4], 6))
