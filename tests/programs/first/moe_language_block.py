"""Token-level mixture of experts with thresholded routing for a tiny language model."""
from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class MoEOutput:
    hidden: torch.Tensor
    aux: torch.Tensor
    load: List[float] = field(default_factory=list)


class Expert(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.w1 = nn.Linear(dim, dim * mult)
        self.w2 = nn.Linear(dim * mult, dim)

    def forward(self, x):
        return self.w2(F.gelu(self.w1(x)))


class ThresholdRouter(nn.Module):
    def __init__(self, dim, n_experts, threshold):
        super().__init__()
        self.proj = nn.Linear(dim, n_experts, bias=False)
        self.threshold = threshold

    def forward(self, x):
        probs = F.softmax(self.proj(x), dim=-1)
        importance = probs.mean(0)
        probs[probs < self.threshold] = 0.0  # BUG
        weights = probs / probs.sum(-1, keepdim=True).clamp(min=1e-6)
        return weights, importance


class SparseMoE(nn.Module):
    def __init__(self, dim, n_experts=4, threshold=0.22):
        super().__init__()
        self.experts = nn.ModuleList([Expert(dim) for _ in range(n_experts)])
        self.router = ThresholdRouter(dim, n_experts, threshold)

    def forward(self, x):
        shape = x.shape
        flat = x.reshape(-1, shape[-1])
        w, importance = self.router(flat)
        out = torch.zeros_like(flat)
        load = []
        for i, expert in enumerate(self.experts):
            idx = w[:, i].nonzero(as_tuple=True)[0]
            load.append(idx.numel() / flat.size(0))
            if idx.numel():
                out.index_add_(0, idx, expert(flat[idx]) * w[idx, i].unsqueeze(-1))
        aux = importance.var() * len(self.experts)
        return MoEOutput(out.view(shape), aux, load)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.moe = SparseMoE(dim)

    def forward(self, x, mask):
        h = self.n1(x)
        a, _ = self.attn(h, h, h, attn_mask=mask, need_weights=False)
        x = x + a
        m = self.moe(self.n2(x))
        return x + m.hidden, m.aux


class TinyLM(nn.Module):
    def __init__(self, vocab=40, dim=16, heads=2, depth=2, max_len=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(max_len, dim)
        self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(depth)])
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        n = ids.size(1)
        x = self.tok(ids) + self.pos(torch.arange(n))
        mask = torch.ones(n, n, dtype=torch.bool).triu_(1)
        aux = x.new_zeros(())
        for b in self.blocks:
            x, a = b(x, mask)
            aux = aux + a
        return self.head(x), aux


def lm_loss(model, ids, aux_coef=0.01):
    logits, aux = model(ids[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()) + aux_coef * aux


# --- driver ---
lm = TinyLM()
opt = torch.optim.AdamW(lm.parameters(), lr=1e-3)
for _ in range(2):
    loss = lm_loss(lm, torch.randint(0, 40, (3, 12)))
    opt.zero_grad()
    loss.backward()
    opt.step()
