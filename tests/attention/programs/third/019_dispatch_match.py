"""Several attention flavours selected by a mode string: registry of functions plus a match statement."""
from __future__ import annotations

from typing import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SCORERS: dict[str, Callable[..., Tensor]] = {}


def register(name):
    def deco(fn):
        SCORERS[name] = fn
        return fn

    return deco


@register("dot")
def dot_scores(q, k, **_):
    return q @ k.transpose(-1, -2)


@register("scaled_dot")
def scaled_dot_scores(q, k, **_):
    return torch.einsum("...id,...jd->...ij", q, k) / q.size(-1) ** 0.5


@register("general")
def general_scores(q, k, *, weight, **_):
    # Luong "general": q W k^T
    return (q @ weight) @ k.transpose(-1, -2)


class LuongAttention(nn.Module):
    def __init__(self, dim, mode="dot", mask_mode="none"):
        super().__init__()
        self.mode, self.mask_mode = mode, mask_mode
        self.weight = nn.Parameter(torch.eye(dim) + 0.1 * torch.randn(dim, dim)) if mode == "general" else None
        self.combine = nn.Linear(2 * dim, dim)

    def build_mask(self, n_q, n_k, lengths=None):
        match self.mask_mode:
            case "none":
                return None
            case "pad" if lengths is not None:
                return (torch.arange(n_k) >= lengths[:, None])[:, None, :]
            case "local" | "window":
                d = torch.arange(n_q)[:, None] - torch.arange(n_k)[None, :]
                return (d.abs() > 2)[None]
            case other:
                raise ValueError(f"unknown mask mode {other!r}")

    def forward(self, queries, memory, lengths=None):
        scores = SCORERS[self.mode](queries, memory, weight=self.weight)
        if (mask := self.build_mask(queries.size(1), memory.size(1), lengths)) is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        align = F.softmax(scores, dim=-1)  # ATTN
        context = align @ memory
        return torch.tanh(self.combine(torch.cat([context, queries], dim=-1)))


class Seq2Seq(nn.Module):
    def __init__(self, vocab=11, dim=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.enc = nn.GRU(dim, dim, batch_first=True)
        self.dec = nn.GRU(dim, dim, batch_first=True)
        self.attend = nn.ModuleList([
            LuongAttention(dim, "general", "pad"),
            LuongAttention(dim, "scaled_dot", "local"),
            LuongAttention(dim, "dot", "none"),
        ])
        self.out = nn.Linear(dim, vocab)

    def forward(self, src, tgt, lengths):
        memory, h = self.enc(self.emb(src))
        x, _ = self.dec(self.emb(tgt), h)
        for a in self.attend:
            x = x + a(x, memory, lengths)
        return self.out(x)


# --- driver ---
def main():
    torch.manual_seed(0)
    m = Seq2Seq().eval()
    src, tgt = torch.randint(0, 11, (2, 6)), torch.randint(0, 11, (2, 5))
    y = m(src, tgt, torch.tensor([6, 4]))
    F.cross_entropy(y.flatten(0, 1), tgt.flatten()).backward()
    return [y] + [p.grad for p in m.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
