"""Tabular transformer; how a row mixes its columns is a pluggable strategy object."""
from abc import ABC, abstractmethod
from dataclasses import dataclass

import torch
from torch import nn


class Mixer(ABC):
    @abstractmethod
    def __call__(self, q, k, v):
        ...


@dataclass(frozen=True)
class DotProductMixer(Mixer):
    d_head: int
    p_drop: float = 0.0
    sharpen: float = 1.0

    @property
    def scale(self):
        return self.sharpen * self.d_head ** -0.5

    def __call__(self, q, k, v, *, training=False):
        # b l h d in, b l h d out
        logits = torch.einsum("bihd, bjhd -> bhij", q, k).mul(self.scale)
        weights = torch.softmax(logits, -1)  # ATTN
        weights = nn.functional.dropout(weights, self.p_drop, training)
        return torch.einsum("bhij, bjhd -> bihd", weights, v)


@dataclass(frozen=True)
class MeanMixer(Mixer):
    def __call__(self, q, k, v, *, training=False):
        return v.mean(1, keepdim=True).expand_as(v)


class FeatureTokenizer(nn.Module):
    def __init__(self, n_num, cards, d):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_num, d) * 0.3)
        self.bias = nn.Parameter(torch.zeros(n_num, d))
        self.cats = nn.ModuleList(nn.Embedding(c, d) for c in cards)
        self.cls = nn.Parameter(torch.randn(1, 1, d))

    def forward(self, x_num, x_cat):
        toks = [self.cls.expand(len(x_num), -1, -1), x_num.unsqueeze(-1) * self.weight + self.bias]
        toks += [emb(x_cat[:, i]).unsqueeze(1) for i, emb in enumerate(self.cats)]
        return torch.cat(toks, 1)


class Layer(nn.Module):
    def __init__(self, d, heads, mixer):
        super().__init__()
        self.heads, self.mixer = heads, mixer
        self.norm = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, self.heads, -1)).unbind(-3)
        return x + self.out(self.mixer(q, k, v, training=self.training).flatten(-2))


class TabTransformer(nn.Module):
    def __init__(self, n_num, cards, d=12, heads=3, kinds=("dot", "mean", "dot")):
        super().__init__()
        make = {"dot": lambda: DotProductMixer(d // heads, p_drop=0.1, sharpen=1.5), "mean": MeanMixer}
        self.tok = FeatureTokenizer(n_num, cards, d)
        self.layers = nn.Sequential(*[Layer(d, heads, make[k]()) for k in kinds])
        self.head = nn.Linear(d, 2)

    def forward(self, x_num, x_cat):
        return self.head(self.layers(self.tok(x_num, x_cat))[:, 0])


# --- driver ---
torch.manual_seed(38)
RESULTS = []
for n_num, cards in ((4, (3, 5)), (7, (2, 2, 6))):
    tab = TabTransformer(n_num, cards).double().eval()
    xn = torch.randn(5, n_num, dtype=torch.float64, requires_grad=True)
    xc = torch.stack([torch.randint(c, (5,)) for c in cards], 1)
    out = tab(xn, xc)
    nn.functional.cross_entropy(out, torch.tensor([0, 1, 1, 0, 1])).backward()
    RESULTS += [out.detach(), xn.grad] + [p.grad for p in tab.parameters() if p.grad is not None]
