from __future__ import annotations

import typing

import torch
from torch import nn
import torch.nn.functional as F


class KVCache:
    def __init__(self, layers, batch, heads, max_len, dim):
        self.k = torch.zeros(layers, batch, heads, max_len, dim)
        self.v = torch.zeros_like(self.k)
        self.length = 0

    def append(self, layer, k, v):
        n = k.shape[2]
        self.k[layer, :, :, self.length : self.length + n] = k
        self.v[layer, :, :, self.length : self.length + n] = v
        return self.k[layer, :, :, : self.length + n], self.v[layer, :, :, : self.length + n]

    def advance(self, n):
        self.length += n


class CausalAttention(nn.Module):
    def __init__(self, dim, heads, index, max_len):
        super().__init__()
        self.heads, self.index = heads, index
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        mask = torch.full((max_len, max_len), float("-inf")).triu_(1)
        self.register_buffer("mask", mask, persistent=False)
        slopes = torch.pow(2.0, -torch.arange(1, heads + 1).float().mul_(8 / heads))
        dist = torch.arange(max_len)[None] - torch.arange(max_len)[:, None]
        self.register_buffer("alibi", dist.float() * slopes[:, None, None], persistent=False)

    def forward(self, x, cache: typing.Optional[KVCache] = None):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        start = 0
        if cache is not None:
            start = cache.length
            k, v = cache.append(self.index, k, v)
        scores = q @ k.transpose(-1, -2)
        scores *= q.shape[-1] ** -0.5
        scores += self.alibi[:, start : start + n, : k.shape[2]]
        scores += self.mask[start : start + n, : k.shape[2]]
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d))


class GPT(nn.Module):
    def __init__(self, vocab, dim, heads, depth, max_len):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList(CausalAttention(dim, heads, i, max_len) for i in range(depth))
        self.ff = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.ReLU(inplace=True), nn.Linear(2 * dim, dim)) for _ in range(depth)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.heads, self.dim, self.max_len = heads, dim, max_len

    def forward(self, ids, cache=None):
        x = self.emb(ids)
        for norm, attn, ff in zip(self.norms, self.attn, self.ff):
            x = x + attn(norm(x), cache)
            x = x + ff(x)
        if cache is not None:
            cache.advance(ids.shape[1])
        return F.linear(x, self.emb.weight)

    @torch.no_grad()
    def generate(self, ids, n, top_k=3, penalty=1.2):
        cache = KVCache(len(self.attn), ids.shape[0], self.heads, self.max_len, self.dim // self.heads)
        out = torch.zeros(ids.shape[0], ids.shape[1] + n, dtype=torch.long)
        out[:, : ids.shape[1]] = ids
        logits = self(ids, cache)[:, -1]
        for t in range(ids.shape[1], out.shape[1]):
            logits.scatter_(1, out[:, :t], logits.gather(1, out[:, :t]) / penalty)
            logits[logits < logits.topk(top_k).values[:, -1:]] = float("-inf")
            out[:, t] = torch.multinomial(logits.softmax(-1), 1).squeeze(1)
            logits = self(out[:, t : t + 1], cache)[:, -1]
        return out


def pack(docs, length, eos):
    rows = torch.full((len(docs), length), eos)
    for r, d in zip(rows, docs):
        r[: len(d)] = torch.tensor(d)
    return rows


# --- driver ---
torch.manual_seed(0)
gpt = GPT(13, 8, 2, 2, 12)
opt = torch.optim.AdamW(gpt.parameters(), lr=1e-3)
ids = pack([[1, 2, 3, 4, 5], [6, 7, 8]], 6, 0)
F.cross_entropy(gpt(ids[:, :-1]).transpose(1, 2), ids[:, 1:]).backward()
opt.step()
gpt.generate(ids[:, :2], 4)
