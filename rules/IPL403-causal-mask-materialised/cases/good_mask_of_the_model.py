import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out(y.transpose(1, 2).reshape(b, n, c))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attention = Attention(dim, heads)

    def forward(self, x, mask=None):
        return x + self.attention(self.norm(x), mask=mask)


class Decoder(nn.Module):
    def __init__(self, words=11, dim=24, heads=3, depth=2):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(depth)])

    def causal_mask(self, n, device):
        return torch.tril(torch.ones(n, n, dtype=torch.bool, device=device), diagonal=1)

    def forward(self, words):
        b, n = words.shape
        mask = self.causal_mask(n, words.device)
        x = self.embed(words)
        for block in self.blocks:
            x = block(x, mask)
        return x


model = Decoder()
model(torch.randint(0, 11, (2, 6))).sum().backward()
