"""Encoder self attention, (batch, seq, heads, dim) layout throughout."""
import torch
from torch import nn, Tensor


class MultiHeadSelfAttention(nn.Module):
    def __init__(self, width: int, heads: int, head_dim: int) -> None:
        super().__init__()
        self.heads = heads
        self.head_dim = head_dim
        self.to_q = nn.Linear(width, heads * head_dim, bias=False)
        self.to_k = nn.Linear(width, heads * head_dim, bias=False)
        self.to_v = nn.Linear(width, heads * head_dim, bias=False)
        self.out = nn.Parameter(torch.randn(heads, head_dim, width) / (heads * head_dim) ** 0.5)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.heads, self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = map(self._split, (self.to_q(x), self.to_k(x), self.to_v(x)))
        logits = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.head_dim ** -0.5
        probs = logits.softmax(dim=-1)  # ATTN
        ctx = torch.einsum("bhqk,bkhd->bqhd", probs, v)
        return torch.einsum("bqhd,hdw->bqw", ctx, self.out)


def make():
    torch.manual_seed(0)
    net = MultiHeadSelfAttention(width=24, heads=3, head_dim=10).eval()
    x = torch.randn(2, 7, 24, requires_grad=True)
    return net, (x,)
