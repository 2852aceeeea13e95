import torch
from torch import nn
import torch.nn.functional as F


class ContextAttention(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float = 0.1):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, zero_cls: bool = True) -> torch.Tensor:
        B, N, C = x.shape
        q, k, v = (f(x).view(B, N, self.heads, C // self.heads).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(-1, -2)) / (C // self.heads) ** 0.5
        weights = F.softmax(scores, dim=-1).clone()  # NOT
        if zero_cls:
            weights[..., 1:, 0] = 0.0
        diag = torch.eye(N, dtype=torch.bool)
        weights.masked_fill_(diag, 0.0)
        weights = self.dropout(weights)
        out = torch.matmul(weights, v)
        return out.transpose(1, 2).reshape(B, N, C)


class Denoiser(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.att = ContextAttention(dim, 2)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return self.ff(self.att(x))


def make():
    torch.manual_seed(23)
    return Denoiser().eval(), (torch.randn(3, 6, 16, requires_grad=True),)
