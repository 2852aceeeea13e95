"""Gemma-2-ish attention: a helper that takes callables; logits are soft-capped by tanh between product and softmax."""
import functools
from typing import Callable, Optional

import torch
import torch.nn.functional as F
from torch import nn


def compose(*fns):
    return functools.reduce(lambda f, g: lambda x, **kw: g(f(x, **kw), **kw), fns)


def soft_cap(x, *, cap: Optional[float] = None, **_):
    if cap is None:
        return x
    return torch.tanh(x / cap) * cap


def add_mask(x, *, mask=None, **_):
    return x if mask is None else x + mask


def generic_attention(q, k, v, *, scaling: float, logits_fn: Callable = lambda x, **_: x,
                      normalizer: Callable = functools.partial(F.softmax, dim=-1), **kwargs):
    w = torch.matmul(q, k.transpose(2, 3)) * scaling
    w = logits_fn(w, **kwargs)
    w = normalizer(w.float()).to(q.dtype)  # ATTN
    return torch.matmul(w, v)


class GemmaAttention(nn.Module):
    def __init__(self, hidden, heads, kv_heads, head_dim, query_pre_attn_scalar, cap, sliding_window=None):
        super().__init__()
        self.h, self.kv, self.d = heads, kv_heads, head_dim
        self.scaling = query_pre_attn_scalar ** -0.5
        self.cap = cap
        self.sliding_window = sliding_window
        self.q_proj = nn.Linear(hidden, heads * head_dim, bias=False)
        self.k_proj = nn.Linear(hidden, kv_heads * head_dim, bias=False)
        self.v_proj = nn.Linear(hidden, kv_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(heads * head_dim, hidden, bias=False)

    def mask(self, n):
        d = torch.arange(n)[:, None] - torch.arange(n)[None, :]
        bad = d < 0
        if self.sliding_window:
            bad = bad | (d >= self.sliding_window)
        return torch.zeros(n, n).masked_fill(bad, torch.finfo(torch.float32).min)

    def forward(self, x, **kwargs):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.h, self.d).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.kv, self.d).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.kv, self.d).transpose(1, 2)
        k, v = (t.repeat_interleave(self.h // self.kv, dim=1) for t in (k, v))
        y = generic_attention(q, k, v, scaling=self.scaling, logits_fn=compose(soft_cap, add_mask),
                              cap=self.cap, mask=self.mask(n), **kwargs)
        return self.o_proj(y.transpose(1, 2).reshape(b, n, -1))


# --- driver ---
def main():
    torch.manual_seed(0)
    layers = nn.ModuleList([
        GemmaAttention(16, 4, 2, 4, query_pre_attn_scalar=6, cap=0.7, sliding_window=3),
        GemmaAttention(16, 4, 1, 4, query_pre_attn_scalar=6, cap=0.7),
    ])
    x = torch.randn(2, 6, 16, requires_grad=True)
    y = x
    for layer in layers:
        y = y + layer(y)
    y.pow(2).mean().backward()
    return [y, x.grad] + [p.grad for p in layers.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
