import functools
import math

import torch
import torch.nn as nn


def multi_headed(n_heads_attr):
    """Method decorator: the body sees (B, H, L, D) tensors, the caller (B, L, H*D) ones."""
    def wrap(fn):
        @functools.wraps(fn)
        def inner(self, q, k, v, *args, **kwargs):
            h = getattr(self, n_heads_attr)

            def fold(t):
                return t.reshape(t.shape[0], t.shape[1], h, -1).transpose(1, 2)

            out = fn(self, fold(q), fold(k), fold(v), *args, **kwargs)
            return out.transpose(1, 2).flatten(2)
        return inner
    return wrap


def timed(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        inner.calls += 1
        return fn(*args, **kwargs)
    inner.calls = 0
    return inner


class SessionEncoder(nn.Module):
    """Bidirectional cloze model over clicks, time gaps bias the scores."""

    def __init__(self, n_items, d=16, heads=4, buckets=6, p=0.2):
        super().__init__()
        self.heads, self.buckets = heads, buckets
        self.items = nn.Embedding(n_items + 2, d, padding_idx=0)
        self.w = nn.ModuleDict({n: nn.Linear(d, d) for n in ("query", "key", "value", "out")})
        self.gap_bias = nn.Embedding(buckets, heads)
        self.drop = nn.Dropout(p)
        self.norm = nn.LayerNorm(d)

    @timed
    @multi_headed("heads")
    def mix(self, q, k, v, bias=None, visible=None):
        logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if bias is not None:
            logits = logits + bias
        if visible is not None:
            logits = logits.masked_fill(visible == 0, -1e9)
        return torch.matmul(self.drop(torch.softmax(logits, dim=-1)), v)  # ATTN

    def gaps(self, stamps):
        g = (stamps.unsqueeze(-1) - stamps.unsqueeze(-2)).abs()
        b = torch.log2(g + 1).long().clamp(max=self.buckets - 1)
        return self.gap_bias(b).permute(0, 3, 1, 2)

    def forward(self, ids, stamps=None):
        x = self.items(ids)
        vis = (ids > 0).unsqueeze(1).unsqueeze(2)
        bias = None if stamps is None else self.gaps(stamps)
        y = self.mix(self.w["query"](x), self.w["key"](x), self.w["value"](x), bias=bias, visible=vis)
        x = self.norm(x + self.drop(self.w["out"](y)))
        return x @ self.items.weight[1:].t()


# --- driver ---
torch.manual_seed(45)
enc = SessionEncoder(30).double().eval()
RESULTS = []
for L, with_time in ((7, True), (11, False)):
    ids = torch.randint(1, 31, (3, L))
    ids[2, -2:] = 0
    st = torch.randint(0, 50, (3, L)).sort(-1).values.double() if with_time else None
    enc.zero_grad()
    y = enc(ids, st)
    nn.functional.cross_entropy(y.flatten(0, 1), ids.flatten().clamp(min=1) - 1).backward()
    RESULTS.append(y.detach())
    RESULTS.extend(p.grad.clone() for p in enc.parameters() if p.grad is not None)
