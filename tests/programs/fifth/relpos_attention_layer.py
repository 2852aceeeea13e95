"""Attention with a learned relative position bias, for windowed backbones."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class RelPosBias(nn.Module):
    def __init__(self, window, heads):
        super().__init__()
        self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        nn.init.trunc_normal_(self.table, std=0.02)
        c = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing='ij')).flatten(1)
        rel = (c[:, :, None] - c[:, None, :]).permute(1, 2, 0).contiguous()
        rel += window - 1
        rel[:, :, 0] *= 2 * window - 1
        self.register_buffer('index', rel.sum(-1))

    def forward(self):
        n = self.index.size(0)
        return self.table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1)


class WindowAttention(nn.Module):
    def __init__(self, dim, window, heads, attn_drop=0.0):
        super().__init__()
        self.heads, self.attn_drop = heads, attn_drop
        self.scale = (dim // heads) ** -0.5
        self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
        self.proj = nn.Linear(dim, dim)
        self.bias = RelPosBias(window, heads)

    def _split(self, t):
        b, n, _ = t.shape
        return t.view(b, n, self.heads, -1).transpose(1, 2)

    def forward(self, x, mask=None):
        q = self._split(self.q(x))
        k, v = (self._split(t) for t in self.kv(x).chunk(2, dim=-1))
        logits = torch.matmul(q, k.transpose(-1, -2))
        logits *= self.scale
        logits += self.bias()
        if mask is not None:
            logits.masked_fill_(mask, float('-inf'))
        attn = F.softmax(logits, dim=-1)
        attn = F.dropout(attn, self.attn_drop, self.training, inplace=True)  # BUG
        out = torch.matmul(attn, v).transpose(1, 2).flatten(2)
        return self.proj(out)


class WindowBlock(nn.Module):
    def __init__(self, dim, window, heads, drop):
        super().__init__()
        self.window = window
        self.norm = nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, window, heads, drop)

    def partition(self, x):
        b, h, w, c = x.shape
        s = self.window
        return x.view(b, h // s, s, w // s, s, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, s * s, c)

    def merge(self, win, h, w):
        s = self.window
        b = win.size(0) // (h * w // s // s)
        return win.view(b, h // s, w // s, s, s, -1).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, -1)

    def forward(self, x):
        _, h, w, _ = x.shape
        return x + self.merge(self.attn(self.partition(self.norm(x))), h, w)


def regress(block, x, target, steps=1, lr=1e-3):
    opt = torch.optim.AdamW(block.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        F.mse_loss(block(x), target).backward()
        opt.step()


# --- driver ---
torch.manual_seed(0)
regress(WindowBlock(8, 2, 2, 0.2), torch.randn(1, 4, 4, 8), torch.randn(1, 4, 4, 8))
