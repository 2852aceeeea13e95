"""Encoder with a sparsity regulariser on what each token looks at."""
import math

import torch
import torch.nn as nn


class MonitoredAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, self.heads, -1).transpose(1, 2).chunk(3, dim=-1)
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        probs = scores.softmax(-1)  # NOT
        out = (probs @ v).transpose(1, 2).reshape(b, n, d)
        return self.out(out), probs


def row_entropy(p):
    return -(p * (p + 1e-9).log()).sum(-1).mean()


def received(p):
    # how much every token is looked at, averaged over heads
    return p.mean(1).sum(1)


class RegularisedEncoder(nn.Module):
    def __init__(self, dim=16, heads=4, depth=2, keep=4):
        super().__init__()
        self.keep = keep
        self.layers = nn.ModuleList(MonitoredAttention(dim, heads) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.head = nn.Linear(dim, 3)

    def forward(self, x, mask=None):
        penalty = x.new_zeros(())
        for norm, layer in zip(self.norms, self.layers):
            y, p = layer(norm(x), mask)
            x = x + y
            penalty = penalty + row_entropy(p)
        idx = received(p).topk(self.keep, dim=-1).indices.sort(-1).values
        kept = x.gather(1, idx[..., None].expand(-1, -1, x.size(-1)))
        return self.head(kept.mean(1)), penalty, idx


# --- driver ---
torch.manual_seed(29)
enc = RegularisedEncoder().double().eval()
RESULTS = []
for n, masked in ((10, False), (8, True)):
    enc.zero_grad()
    x = torch.randn(2, n, 16, dtype=torch.float64, requires_grad=True)
    mask = torch.arange(n)[None] < torch.tensor([[n], [n - 2]]) if masked else None
    logits, pen, idx = enc(x, mask)
    (logits.logsumexp(-1).sum() + 0.3 * pen).backward()
    RESULTS += [logits.detach(), pen.detach(), idx.double(), x.grad]
    RESULTS += [p.grad.clone() for p in enc.parameters()]
