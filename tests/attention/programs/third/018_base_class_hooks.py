"""A template-method base class: score(), mask(), normalise() and apply() are separate, subclasses override some."""
import abc
import math

import torch
import torch.nn.functional as F
from torch import nn


class AttentionBase(nn.Module, abc.ABC):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.proj = nn.ModuleDict({n: nn.Linear(d_model, d_model) for n in ("q", "k", "v", "o")})

    def heads(self, name, x):
        return self.proj[name](x).unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2)

    # ---- hooks ---------------------------------------------------------
    def compute_scores(self, q, k):
        return torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.d_head)

    @abc.abstractmethod
    def mask_scores(self, scores):
        ...

    def normalise(self, scores):
        return F.softmax(scores, dim=-1)  # ATTN

    def apply_weights(self, weights, v):
        return torch.matmul(weights, v)

    # ---- template ------------------------------------------------------
    def forward(self, x, context=None):
        context = x if context is None else context
        q, k, v = self.heads("q", x), self.heads("k", context), self.heads("v", context)
        scores = self.compute_scores(q, k)
        scores = self.mask_scores(scores)
        weights = self.normalise(scores)
        y = self.apply_weights(weights, v)
        return self.proj["o"](y.transpose(1, 2).flatten(-2))


class FullAttention(AttentionBase):
    def mask_scores(self, scores):
        return scores


class CausalAttention(AttentionBase):
    def mask_scores(self, scores):
        i, j = scores.shape[-2:]
        future = torch.ones(i, j, dtype=torch.bool, device=scores.device).triu(j - i + 1)
        return scores.masked_fill(future, float("-inf"))


class BlockDiagonalAttention(AttentionBase):
    def __init__(self, d_model, n_heads, block=3):
        super().__init__(d_model, n_heads)
        self.block = block

    def mask_scores(self, scores):
        ids = torch.arange(scores.size(-1)) // self.block
        same = ids[:, None].eq(ids[None, :])
        return scores + torch.zeros_like(same, dtype=scores.dtype).masked_fill_(~same, -math.inf)


KINDS = {"full": FullAttention, "causal": CausalAttention, "block": BlockDiagonalAttention}


class Net(nn.Module):
    def __init__(self, d=16, h=2, kinds=("block", "causal", "full")):
        super().__init__()
        self.layers = nn.ModuleList(KINDS[k](d, h) for k in kinds)
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in kinds)

    def forward(self, x):
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x))
        return x


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Net().eval()
    x = torch.randn(2, 6, 16, requires_grad=True)
    y = net(x)
    y.pow(2).mean().backward()
    return [y, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
