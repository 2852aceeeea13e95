"""Rotary grouped-query attention with a decode cache, RMSNorm and a language model helper."""
from typing import Optional
import torch
from torch import nn, Tensor
import torch.nn.functional as F


def rotary_tables(dim: int, length: int, base: float = 1000.0):
    inv = torch.arange(0, dim, 2).float().div_(dim)
    inv = (base ** inv).reciprocal_()
    ang = torch.outer(torch.arange(length).float(), inv)
    cos, sin = torch.empty(length, dim), torch.empty(length, dim)
    cos[:, 0::2] = cos[:, 1::2] = ang.cos()
    sin[:, 0::2] = sin[:, 1::2] = ang.sin()
    return cos, sin


def rotate_half(x: Tensor) -> Tensor:
    out = torch.empty_like(x)
    out[..., 0::2] = -x[..., 1::2]
    out[..., 1::2] = x[..., 0::2]
    return out


def apply_rotary(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    y = x * cos
    y += rotate_half(x) * sin
    return y


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.g, self.eps = nn.Parameter(torch.ones(dim)), eps

    def forward(self, x):
        ms = x.pow(2).mean(-1, keepdim=True)
        ms += self.eps
        return x * ms.rsqrt() * self.g


class Cache:
    def __init__(self, batch, heads, length, dim):
        self.k, self.v = torch.zeros(2, batch, heads, length, dim).unbind(0)
        self.n = 0

    @torch.no_grad()
    def extend(self, k, v):
        t = k.size(2)
        self.k.narrow(2, self.n, t).copy_(k)
        self.v.narrow(2, self.n, t).copy_(v)
        self.n += t
        return self.k[:, :, :self.n], self.v[:, :, :self.n]


class GQA(nn.Module):
    def __init__(self, dim, heads, kv_heads, max_len=16):
        super().__init__()
        self.h, self.kv, self.d = heads, kv_heads, dim // heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk, self.wv = (nn.Linear(dim, kv_heads * self.d, bias=False) for _ in range(2))
        self.wo = nn.Linear(dim, dim, bias=False)
        cos, sin = rotary_tables(self.d, max_len)
        self.register_buffer('cos', cos, persistent=False)
        self.register_buffer('sin', sin, persistent=False)

    def forward(self, x: Tensor, cache: Optional[Cache] = None) -> Tensor:
        b, t, _ = x.shape
        off = cache.n if cache is not None else 0
        q, k, v = (w(x).view(b, t, -1, self.d).transpose(1, 2) for w in (self.wq, self.wk, self.wv))
        cos, sin = self.cos[off:off + t], self.sin[off:off + t]
        q, k = apply_rotary(q, cos, sin), apply_rotary(k, cos, sin)
        if cache is not None:
            k, v = cache.extend(k, v)
        k, v = (z.repeat_interleave(self.h // self.kv, 1) for z in (k, v))
        s = torch.matmul(q, k.transpose(-1, -2)).div_(self.d ** 0.5)
        bias = torch.zeros(t, k.size(2))
        bias.masked_fill_(torch.ones(t, k.size(2), dtype=torch.bool).triu_(off + 1), -1e9)
        s += bias
        return self.wo((F.softmax(s, -1) @ v).transpose(1, 2).flatten(2))


class LM(nn.Module):
    def __init__(self, vocab, dim=16):
        super().__init__()
        self.emb, self.norm = nn.Embedding(vocab, dim), RMSNorm(dim)
        self.attn, self.out = GQA(dim, 4, 2), nn.Linear(dim, vocab)

    def forward(self, ids, cache=None):
        x = self.emb(ids)
        y = self.attn(self.norm(x), cache)
        y += x
        return self.out(y)

    @torch.no_grad()
    def greedy(self, ids, n):
        cache = Cache(ids.size(0), 2, 16, 4)
        logits = self(ids, cache)[:, -1]
        seen = torch.zeros_like(logits)
        for _ in range(n):
            seen.scatter_(1, ids[:, -1:], 1.0)
            logits.sub_(seen)
            ids = torch.cat([ids, logits.argmax(1, keepdim=True)], 1)
            logits = self(ids[:, -1:], cache)[:, -1]
        return ids


def fit(model, ids, steps=2, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)
    for _ in range(steps):
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
lm = LM(11)
fit(lm, torch.randint(0, 11, (2, 7)))
lm.greedy(torch.randint(0, 11, (2, 3)), 3)
