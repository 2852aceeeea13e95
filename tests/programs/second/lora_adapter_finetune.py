"""LoRA fine-tuning with merge/unmerge around evaluation."""
import math
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank=4, alpha=8.0, dropout=0.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.empty(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scaling = alpha / rank
        self.dropout = nn.Dropout(dropout)
        self.merged = False
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def delta(self):
        return (self.b @ self.a) * self.scaling

    def merge(self):
        if not self.merged:
            self.base.weight.data += self.delta().detach()
            self.merged = True

    def unmerge(self):
        if self.merged:
            self.base.weight.data -= self.delta().detach()
            self.merged = False

    def forward(self, x):
        out = self.base(x)
        if not self.merged:
            out += F.linear(F.linear(self.dropout(x), self.a), self.b) * self.scaling
        return out


def inject(module, names=("q", "v"), **kw):
    for child_name, child in list(module.named_children()):
        if isinstance(child, nn.Linear) and child_name in names:
            setattr(module, child_name, LoRALinear(child, **kw))
        else:
            inject(child, names, **kw)
    return module


@contextmanager
def merged(model):
    layers = [m for m in model.modules() if isinstance(m, LoRALinear)]
    for l in layers:
        l.merge()
    try:
        yield model
    finally:
        for l in layers:
            l.unmerge()


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))
        self.heads = heads

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (f(x).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.o(y.transpose(1, 2).reshape(b, t, d))


class Backbone(nn.Module):
    def __init__(self, vocab=30, dim=16, heads=2, depth=2, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = nn.ModuleList(Attention(dim, heads) for _ in range(depth))
        self.norm = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        x = self.emb(ids)
        for a, n in zip(self.attn, self.norm):
            x = x + a(n(x))
        return self.head(x.mean(1))


def trainable(model):
    for n, p in model.named_parameters():
        p.requires_grad_(n.endswith((".a", ".b")) or n.startswith("head"))
    return [p for p in model.parameters() if p.requires_grad]


@torch.no_grad()
def accuracy(model, batches):
    model.eval()
    with merged(model):
        hits = [(model(x).argmax(1) == y).float().mean() for x, y in batches]
    model.train()
    return torch.stack(hits).mean().item()


def finetune(model, batches, lr=1e-3):
    opt = torch.optim.AdamW(trainable(model), lr=lr)
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        accuracy(model, batches)


# --- driver ---
torch.manual_seed(0)
finetune(inject(Backbone()), [(torch.randint(0, 30, (4, 5)), torch.randint(0, 3, (4,))) for _ in range(2)])
