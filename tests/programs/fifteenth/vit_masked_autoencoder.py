"""Masked autoencoder with a compact vision transformer."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchEmbed(nn.Module):
    def __init__(self, img, patch, dim):
        super().__init__()
        self.patch = patch
        self.proj = nn.Conv2d(3, dim, patch, patch)
        self.pos = nn.Parameter(0.02 * torch.randn(1, (img // patch) ** 2, dim))

    def patches(self, x):
        return F.unfold(x, self.patch, stride=self.patch).transpose(1, 2)

    def forward(self, x):
        tok = self.proj(x).flatten(2).transpose(1, 2)
        tok += self.pos
        return tok


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        assert dim % heads == 0
        self.heads = heads
        self.temperature = nn.Parameter(torch.full((heads, 1, 1), 1.0))
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def split(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.heads, -1).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q *= 1.0 / math.sqrt(q.size(-1) // self.heads)  # BUG
        q, k, v = map(self.split, (q, k, v))
        att = (q @ k.transpose(-2, -1)) * self.temperature
        y = att.softmax(-1) @ v
        return self.out(y.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))


class MAE(nn.Module):
    def __init__(self, img=16, patch=4, dim=32, heads=4, enc=2, dec=1):
        super().__init__()
        self.embed = PatchEmbed(img, patch, dim)
        self.encoder = nn.Sequential(*(Block(dim, heads) for _ in range(enc)))
        self.decoder = nn.Sequential(*(Block(dim, heads) for _ in range(dec)))
        self.mask_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.head = nn.Linear(dim, 3 * patch * patch)

    def forward(self, x, ratio=0.5):
        tok = self.embed(x)
        b, n, d = tok.shape
        order = torch.rand(b, n).argsort(1)
        keep = order[:, : int(n * (1 - ratio))]
        gather = keep.unsqueeze(-1).expand(-1, -1, d)
        vis = self.encoder(tok.gather(1, gather))
        full = self.mask_token.expand(b, n, d).scatter(1, gather, vis)
        pred = self.head(self.decoder(full + self.embed.pos))
        hidden = torch.ones(b, n)
        hidden.scatter_(1, keep, 0.0)
        err = (pred - self.embed.patches(x)).pow(2).mean(-1)
        return (err * hidden).sum() / hidden.sum()


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    model = MAE()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(3):
        loss = model(torch.rand(2, 3, 16, 16))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
