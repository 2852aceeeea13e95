"""Grouped-query decoder attention with rotary embedding and a rolling kv cache."""
import math
from typing import List, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import nn


def precompute_freqs_cis(dim: int, end: int, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].double() / dim))
    t = torch.arange(end, dtype=torch.float64)
    ang = torch.outer(t, freqs)
    return torch.cos(ang), torch.sin(ang)


def apply_rotary(x, cos, sin):
    x1, x2 = x[..., ::2], x[..., 1::2]
    cos, sin = cos[None, :, None, :].to(x), sin[None, :, None, :].to(x)
    return torch.stack([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1).flatten(-2)


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    bs, slen, n_kv_heads, head_dim = x.shape
    if n_rep == 1:
        return x
    return (
        x[:, :, :, None, :]
        .expand(bs, slen, n_kv_heads, n_rep, head_dim)
        .reshape(bs, slen, n_kv_heads * n_rep, head_dim)
    )


class Attention(nn.Module):
    def __init__(self, dim=48, n_heads=6, n_kv_heads=2):
        super().__init__()
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.n_rep = n_heads // n_kv_heads
        self.head_dim = dim // n_heads
        self.wq = nn.Linear(dim, n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(n_heads * self.head_dim, dim, bias=False)
        self.cache: Optional[Tuple[torch.Tensor, torch.Tensor]] = None

    def forward(self, x, freqs, mask: Optional[torch.Tensor]):
        bsz, seqlen, _ = x.shape
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq = xq.view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = xk.view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = xv.view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xq, xk = apply_rotary(xq, *freqs), apply_rotary(xk, *freqs)

        if self.cache is not None:
            xk = torch.cat([self.cache[0], xk], dim=1)
            xv = torch.cat([self.cache[1], xv], dim=1)
        self.cache = (xk, xv)

        keys = repeat_kv(xk, self.n_rep)
        values = repeat_kv(xv, self.n_rep)
        xq = xq.transpose(1, 2)
        keys = keys.transpose(1, 2)
        values = values.transpose(1, 2)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores + mask  # (bs, n_heads, seqlen, cache_len + seqlen)
        scores = F.softmax(scores, dim=-1).type_as(xq)  # ATTN
        output = torch.matmul(scores, values)
        output = output.transpose(1, 2).contiguous().view(bsz, seqlen, -1)
        return self.wo(output)


class Decoder(nn.Module):
    def __init__(self, dim=48, depth=2, max_len=64):
        super().__init__()
        self.layers = nn.ModuleList(Attention(dim) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.cos, self.sin = precompute_freqs_cis(dim // 6, max_len)

    def reset(self):
        for l in self.layers:
            l.cache = None

    def forward(self, h, start_pos: int):
        seqlen = h.shape[1]
        sl = slice(start_pos, start_pos + seqlen)
        mask = None
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"), dtype=h.dtype)
            mask = torch.triu(mask, diagonal=1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos), dtype=h.dtype), mask])
        for norm, layer in zip(self.norms, self.layers):
            h = h + layer(norm(h), (self.cos[sl], self.sin[sl]), mask)
        return h


# --- driver ---
torch.manual_seed(7)
dec = Decoder().double().eval()
RESULTS = []
for splits in ([9], [5, 3, 1, 1]):
    dec.zero_grad()
    dec.reset()
    x = torch.randn(2, sum(splits), 48, dtype=torch.float64, requires_grad=True)
    outs, pos = [], 0
    for n in splits:
        outs.append(dec(x[:, pos:pos + n], pos))
        pos += n
    y = torch.cat(outs, 1)
    F.gelu(y).sum().backward()
    RESULTS += [y.detach(), x.grad.clone()] + [p.grad.clone() for p in dec.parameters()]
