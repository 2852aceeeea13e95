"""Attention as a mixin with static/class methods and properties; the stored weights feed an entropy regulariser."""
from dataclasses import dataclass, field

import torch
from torch import nn


@dataclass(frozen=True)
class AttnConfig:
    dim: int = 16
    heads: int = 2
    causal: bool = False
    scale_by_sqrt: bool = True
    keep_weights: bool = True
    extras: dict = field(default_factory=dict)

    @property
    def head_dim(self):
        return self.dim // self.heads


class DotProductMixin:
    last_attn = None

    @staticmethod
    def _logits(q, k):
        return q.matmul(k.transpose(2, 3))

    @classmethod
    def _weights(cls, q, k, scale, causal):
        z = cls._logits(q, k) * scale
        if causal:
            n = z.size(-1)
            z = z + torch.full((n, n), -torch.inf).triu_(1)
        return z.softmax(-1)  # ATTN

    @property
    def scale(self):
        return self.cfg.head_dim ** -0.5 if self.cfg.scale_by_sqrt else 1.0

    @property
    def attention_entropy(self):
        p = self.last_attn
        return -(p * p.clamp_min(1e-9).log()).sum(-1).mean()

    def attend(self, q, k, v):
        p = self._weights(q, k, self.scale, self.cfg.causal)
        if self.cfg.keep_weights:
            self.last_attn = p
        return p.matmul(v)


class SelfAttention(DotProductMixin, nn.Module):
    def __init__(self, cfg: AttnConfig):
        super().__init__()
        self.cfg = cfg
        self.in_proj = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.out_proj = nn.Linear(cfg.dim, cfg.dim)

    def forward(self, x):
        b, n, _ = x.shape
        qkv = self.in_proj(x).view(b, n, self.cfg.heads, 3 * self.cfg.head_dim).transpose(1, 2)
        y = self.attend(*qkv.chunk(3, dim=-1))
        return self.out_proj(y.transpose(1, 2).reshape(b, n, -1))


class Classifier(nn.Module):
    def __init__(self, *cfgs):
        super().__init__()
        self.blocks = nn.ModuleList(SelfAttention(c) for c in cfgs)
        self.head = nn.Linear(cfgs[0].dim, 3)

    def forward(self, x):
        for b in self.blocks:
            x = x + b(x)
        return self.head(x.mean(1))

    def regulariser(self):
        return sum(b.attention_entropy for b in self.blocks)


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Classifier(AttnConfig(), AttnConfig(causal=True, heads=4)).eval()
    x = torch.randn(3, 5, 16, requires_grad=True)
    logits = net(x)
    loss = nn.functional.cross_entropy(logits, torch.tensor([0, 1, 2])) + 0.1 * net.regulariser()
    loss.backward()
    maps = [b.last_attn for b in net.blocks]
    return [logits, loss, *maps, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
