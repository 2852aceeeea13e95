import torch
from torch import nn
import torch.nn.functional as F


class AdaptiveTemperatureAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.temp_q = nn.Linear(dim, heads)
        self.temp_k = nn.Linear(dim, heads)
        self.o = nn.Linear(dim, dim)

    def split(self, x):
        return x.view(*x.shape[:2], self.heads, self.head_dim).transpose(1, 2)

    def forward(self, x, mask=None):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        tq = self.temp_q(x).transpose(1, 2).unsqueeze(-1)
        tk = self.temp_k(x).transpose(1, 2).unsqueeze(-2)
        temperature = 0.5 + F.softplus(tq + tk)
        scores = scores / temperature
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        weights = F.softmax(scores, dim=-1)  # NOT
        out = (weights @ v).transpose(1, 2).flatten(2)
        return self.o(out)


def make():
    torch.manual_seed(8)
    m = AdaptiveTemperatureAttention(24, 4).eval()
    mask = torch.ones(9, 9, dtype=torch.bool).triu(1)
    return m, (torch.randn(2, 9, 24, requires_grad=True), mask)
