"""Small decoder-only language model with ALiBi and fused in-place score handling."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionMixin:
    def split_heads(self, x):
        b, t, _ = x.shape
        return x.view(b, t, self.n_head, -1).transpose(1, 2)

    def merge_heads(self, x):
        b, h, t, d = x.shape
        return x.transpose(1, 2).reshape(b, t, h * d)


class CausalSelfAttention(AttentionMixin, nn.Module):
    def __init__(self, dim, n_head, dropout=0.0):
        super().__init__()
        self.n_head = n_head
        self.q = nn.Linear(dim, dim, bias=False)
        self.k = nn.Linear(dim, dim, bias=False)
        self.v = nn.Linear(dim, dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)
        self.dropout = dropout
        slopes = torch.tensor([2.0 ** (-8.0 * (i + 1) / n_head) for i in range(n_head)])
        self.register_buffer("slopes", slopes.view(1, n_head, 1, 1))

    def bias(self, t):
        pos = torch.arange(t)
        dist = (pos[None, :] - pos[:, None]).clamp_(max=0).float()
        return dist[None, None] * self.slopes

    def forward(self, x):
        t = x.size(1)
        q, k, v = (self.split_heads(f(x)) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(-1, -2)
        scores *= 1.0 / math.sqrt(q.size(-1))
        scores += self.bias(t)
        future = torch.ones(t, t, dtype=torch.bool).triu_(1)
        scores.masked_fill_(future, float("-inf"))
        probs = F.softmax(scores, dim=-1)
        probs = F.dropout(probs, self.dropout, self.training)
        return self.o(self.merge_heads(probs @ v))


class GatedMLP(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.gate = nn.Linear(dim, dim * mult)
        self.up = nn.Linear(dim, dim * mult)
        self.down = nn.Linear(dim * mult, dim)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, dim, n_head):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn, self.mlp = CausalSelfAttention(dim, n_head, 0.1), GatedMLP(dim)

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        x = x + self.mlp(self.n2(x))
        return x


class LM(nn.Module):
    def __init__(self, vocab=40, dim=32, n_head=4, depth=2):
        super().__init__()
        self.wte = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleDict({f"h{i}": Block(dim, n_head) for i in range(depth)})
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.wte.weight

    def forward(self, idx, targets=None):
        x = self.wte(idx)
        for blk in self.blocks.values():
            x = blk(x)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def cosine_lr(step, total, base):
    return 0.5 * base * (1 + math.cos(math.pi * step / total))


def train(model, data, total=4, base=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=base)
    for step in range(total):
        for g in opt.param_groups:
            g["lr"] = cosine_lr(step, total, base)
        ix = torch.randint(0, data.numel() - 9, (4,))
        chunk = torch.stack([data[i:i + 9] for i in ix])
        _, loss = model(chunk[:, :-1], chunk[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
train(LM(), torch.randint(0, 40, (200,)), total=2)
