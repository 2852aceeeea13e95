"""Low-rank adapters on a small vision transformer, folded into the weights for evaluation and unfolded for training."""
import math
from contextlib import contextmanager
from typing import Iterable, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class AdaptedLinear(nn.Linear):
    def __init__(self, din: int, dout: int, rank: int = 2, alpha: float = 4.0):
        super().__init__(din, dout)
        self.down = nn.Parameter(torch.empty(rank, din))
        self.up = nn.Parameter(torch.zeros(dout, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.scaling = alpha / rank
        self.folded = False

    @classmethod
    def wrap(cls, base: nn.Linear, **kw) -> "AdaptedLinear":
        new = cls(base.in_features, base.out_features, **kw)
        with torch.no_grad():
            new.weight.copy_(base.weight)
            new.bias.copy_(base.bias)
        new.weight.requires_grad_(False), new.bias.requires_grad_(False)
        return new

    @torch.no_grad()
    def fold(self):
        if not self.folded:
            self.weight.addmm_(self.up, self.down, alpha=self.scaling)
            self.folded = True

    @torch.no_grad()
    def unfold(self):
        if self.folded:
            self.weight.addmm_(self.up, self.down, alpha=-self.scaling)
            self.folded = False

    def forward(self, x):
        y = super().forward(x)
        if not self.folded:
            y += F.linear(F.linear(x, self.down), self.up) * self.scaling
        return y


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (m(x).view(b, t, self.heads, -1).transpose(1, 2) for m in (self.q, self.k, self.v))
        return self.o(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, t, d))


class ViTBlock(nn.Module):
    def __init__(self, dim: int, heads: int = 2):
        super().__init__()
        self.n1, self.n2, self.attn = nn.LayerNorm(dim), nn.LayerNorm(dim), Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class ViT(nn.Module):
    def __init__(self, classes: int, dim: int = 16, depth: int = 2, patch: int = 4, side: int = 12):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, (side // patch) ** 2 + 1, dim) * 0.02)
        self.blocks = nn.Sequential(*(ViTBlock(dim) for _ in range(depth)))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        x += self.pos
        return self.head(self.blocks(x)[:, 0])


def adapt(model: nn.Module, targets: Tuple[str, ...] = ("q", "v")) -> nn.Module:
    model.requires_grad_(False)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, nn.Linear) and name in targets:
                setattr(module, name, AdaptedLinear.wrap(child))
    model.head.requires_grad_(True)
    return model


@contextmanager
def folded(model: nn.Module):
    layers = [m for m in model.modules() if isinstance(m, AdaptedLinear)]
    try:
        for m in layers:
            m.fold()
        yield model
    finally:
        for m in layers:
            m.unfold()


def tune(model: nn.Module, batches: Iterable):
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    correct = torch.zeros(())
    for x, y in batches:
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with folded(model), torch.no_grad():
            correct += (model(x).argmax(-1) == y).sum()
    return correct


# --- driver ---
torch.manual_seed(48)
tune(adapt(ViT(4)), [(torch.randn(6, 3, 12, 12), torch.randint(0, 4, (6,))) for _ in range(4)])
