import torch
import torch.nn as nn


class Attn(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, -1)
        a = q @ k.transpose(1, 2)
        a.mul_(q.size(-1) ** -0.5)
        return self.proj(a.softmax(-1) @ v)


class ViT(nn.Module):
    def __init__(self, d=16, n=4, depth=2, out=12):
        super().__init__()
        self.patch, self.cls = nn.Linear(6, d), nn.Parameter(torch.zeros(1, 1, d))
        self.pos = nn.Parameter(torch.zeros(1, n + 1, d))
        self.mask_token = nn.Parameter(torch.zeros(d))
        nn.init.trunc_normal_(self.pos, std=0.02)
        self.blocks = nn.ModuleList(Attn(d) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(d), nn.utils.parametrizations.weight_norm(nn.Linear(d, out, bias=False))

    def embed(self, x, mask=None):
        x = self.patch(x)
        if mask is not None:
            x[mask] = self.mask_token
        x = torch.cat([self.cls.expand(x.size(0), -1, -1), x], 1)
        x += self.pos
        return x

    def forward(self, x, mask=None):
        x = self.embed(x, mask)
        for b in self.blocks:
            x = x + b(x)
        return self.head(self.norm(x)[:, 0])
