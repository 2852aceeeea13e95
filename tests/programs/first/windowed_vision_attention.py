"""Swin-like windowed attention with relative position bias."""
from typing import Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F


def window_partition(x, ws):
    b, h, w, c = x.shape
    x = x.view(b, h // ws, ws, w // ws, ws, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, ws * ws, c)


def window_reverse(win, ws, h, w):
    b = win.size(0) // (h * w // ws // ws)
    x = win.view(b, h // ws, w // ws, ws, ws, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, -1)


class RelPosBias(nn.Module):
    def __init__(self, ws, heads):
        super().__init__()
        self.table = nn.Parameter(torch.zeros((2 * ws - 1) ** 2, heads))
        nn.init.trunc_normal_(self.table, std=0.02)
        ij = torch.stack(torch.meshgrid(torch.arange(ws), torch.arange(ws), indexing='ij')).flatten(1)
        rel = (ij[:, :, None] - ij[:, None, :]).permute(1, 2, 0).contiguous()
        rel += ws - 1
        rel[:, :, 0] *= 2 * ws - 1
        self.register_buffer('index', rel.sum(-1))

    def forward(self):
        return self.table[self.index].permute(2, 0, 1)


class WindowAttention(nn.Module):
    def __init__(self, dim, ws, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.bias = RelPosBias(ws, heads)

    def forward(self, x):
        n_win, n, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q *= self.scale  # BUG
        heads = lambda t: t.reshape(n_win, n, self.heads, c // self.heads).transpose(1, 2)
        q, k, v = heads(q), heads(k), heads(v)
        attn = q @ k.transpose(-2, -1)
        attn += self.bias()
        out = F.softmax(attn, dim=-1) @ v
        return self.proj(out.transpose(1, 2).reshape(n_win, n, c))


class SwinBlock(nn.Module):
    def __init__(self, dim, ws, heads, shift):
        super().__init__()
        self.ws, self.shift = ws, shift
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, ws, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        b, h, w, c = x.shape
        y = self.norm1(x)
        if self.shift:
            y = torch.roll(y, (-self.shift, -self.shift), dims=(1, 2))
        y = window_reverse(self.attn(window_partition(y, self.ws)), self.ws, h, w)
        if self.shift:
            y = torch.roll(y, (self.shift, self.shift), dims=(1, 2))
        x = x + y
        return x + self.mlp(self.norm2(x))


class SwinTiny(nn.Module):
    def __init__(self, dim=16, ws=4, heads=2, depths: Sequence[int] = (2,), n_classes=6):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, 2, 2)
        self.stages = nn.ModuleList(
            nn.ModuleList(SwinBlock(dim, ws, heads, 0 if i % 2 == 0 else ws // 2) for i in range(d)) for d in depths)
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, n_classes)

    def forward(self, img):
        x = self.patch(img).permute(0, 2, 3, 1)
        for stage in self.stages:
            for block in stage:
                x = block(x)
        return self.head(self.norm(x).mean(dim=(1, 2)))


# --- driver ---
net = SwinTiny()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
loss = F.cross_entropy(net(torch.randn(2, 3, 16, 16)), torch.randint(0, 6, (2,)))
opt.zero_grad()
loss.backward()
opt.step()
