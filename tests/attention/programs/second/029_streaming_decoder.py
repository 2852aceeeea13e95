"""Incremental decoding with one shared key/value head and a growing cache."""
from dataclasses import dataclass, field
from typing import List, Optional

import torch
from torch import Tensor, nn


@dataclass
class KVCache:
    k: Optional[Tensor] = None
    v: Optional[Tensor] = None
    history: List[int] = field(default_factory=list)

    def append(self, k: Tensor, v: Tensor):
        self.k = k if self.k is None else torch.cat([self.k, k], dim=-2)
        self.v = v if self.v is None else torch.cat([self.v, v], dim=-2)
        self.history.append(self.k.size(-2))
        return self.k, self.v


class MultiQueryAttention(nn.Module):
    def __init__(self, d_model: int, n_heads: int, clip: Optional[float] = None):
        super().__init__()
        self.d_model = d_model
        self.n_heads = n_heads
        self.head_dim = d_model // n_heads
        self.softmax_scale = 1 / self.head_dim ** 0.5
        self.clip_qkv = clip
        self.Wqkv = nn.Linear(d_model, d_model + 2 * self.head_dim)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor, cache: Optional[KVCache] = None) -> Tensor:
        qkv = self.Wqkv(x)
        if self.clip_qkv:
            qkv = qkv.clamp(min=-self.clip_qkv, max=self.clip_qkv)
        query, key, value = qkv.split([self.d_model, self.head_dim, self.head_dim], dim=2)
        b, s_q, _ = query.shape
        q = query.view(b, s_q, self.n_heads, self.head_dim).transpose(1, 2)
        k = key.unsqueeze(1)
        v = value.unsqueeze(1)
        if cache is not None:
            k, v = cache.append(k, v)
        s_k = k.size(-2)
        k = k.expand(b, self.n_heads, s_k, self.head_dim)
        v = v.expand(b, self.n_heads, s_k, self.head_dim)

        attn_weight = q.matmul(k.transpose(-1, -2)) * self.softmax_scale
        if s_q > 1:
            causal = attn_weight.new_ones(s_k, s_k, dtype=torch.bool).tril()
            causal = causal[-s_q:, -s_k:]
            attn_weight = attn_weight.masked_fill(~causal.view(1, 1, s_q, s_k), torch.finfo(q.dtype).min)
        attn_weight = torch.softmax(attn_weight, dim=-1)  # ATTN
        out = attn_weight.matmul(v)
        out = out.transpose(1, 2).reshape(b, s_q, -1)
        return self.out_proj(out)


class StreamingLM(nn.Module):
    def __init__(self, vocab=15, d=20, heads=4, layers=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList([MultiQueryAttention(d, heads, clip=6.0) for _ in range(layers)])
        self.norm = nn.ModuleList([nn.LayerNorm(d) for _ in range(layers)])
        self.head = nn.Linear(d, vocab)

    def forward(self, ids, caches=None):
        x = self.tok(ids)
        for i, (blk, nrm) in enumerate(zip(self.blocks, self.norm)):
            x = x + blk(nrm(x), None if caches is None else caches[i])
        return self.head(x)

    def stream(self, ids, chunks):
        caches = [KVCache() for _ in self.blocks]
        return torch.cat([self(part, caches) for part in ids.split(chunks, dim=1)], dim=1)


# --- driver ---
torch.manual_seed(29)
lm = StreamingLM().eval().double()
RESULTS = []
for n, chunks in ((7, None), (10, [4, 1, 3, 2])):
    ids = torch.randint(0, 15, (2, n))
    lm.zero_grad()
    logits = lm(ids) if chunks is None else lm.stream(ids, chunks)
    logits.softmax(-1)[..., 3].log().sum().backward()
    RESULTS.append(logits.detach())
    RESULTS.extend(p.grad.clone() for p in lm.parameters())
