import torch
from torch import nn

from .attn import Attn


class Layer(nn.Module):
    def __init__(self, d, h, n):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = Attn(d, h, n)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(0.0, inplace=True))

    def forward(self, x):
        a = self.attn(self.n1(x))
        a += x
        f = self.ff(self.n2(a))
        f += a
        return f


class GPT(nn.Module):
    def __init__(self, vocab=7, d=8, h=2, n=6, depth=2):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Parameter(torch.zeros(n, d))
        self.layers = nn.ModuleList(Layer(d, h, n) for _ in range(depth))
        self.head = nn.Linear(d, vocab, bias=False)
        self.head.weight = self.tok.weight

    def forward(self, idx):
        x = self.tok(idx)
        x += self.pos[: idx.size(1)]
        for l in self.layers:
            x = l(x)
        return self.head(x)
