"""Rotary encoding of continuous time stamps with trainable frequencies, for irregular clinical series."""
import torch
from torch import nn
from torch.nn import functional as F


class TimeRotary(nn.Module):
    def __init__(self, head_dim, base=100.0):
        super().__init__()
        half = head_dim // 2
        self.freq = nn.Parameter(base ** (-torch.arange(half) / half))

    def angles(self, t):
        return (t.unsqueeze(-1) * self.freq).unsqueeze(1)

    def rotate(self, x, cos, sin):
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1)
        return x.copy_(turned.flatten(-2))  # BUG


class Attention(nn.Module):
    def __init__(self, d, heads, rotary):
        super().__init__()
        self.h = heads
        self.rot = rotary(d // heads)
        self.q, self.k, self.v, self.o = (nn.Linear(d, d, bias=False) for _ in range(4))

    def split(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x, t, pad):
        ang = self.rot.angles(t)
        cos, sin = ang.cos(), ang.sin()
        q, k, v = map(self.split, (self.q(x), self.k(x), self.v(x)))
        q, k = self.rot.rotate(q, cos, sin), self.rot.rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=~pad[:, None, None])
        return self.o(y.transpose(1, 2).flatten(2))


class Encoder(nn.Module):
    def __init__(self, variables, d=16, heads=2, depth=2, rotary=TimeRotary):
        super().__init__()
        self.var = nn.Embedding(variables, d)
        self.val = nn.Linear(1, d)
        self.atts = nn.ModuleList(Attention(d, heads, rotary) for _ in range(depth))
        self.ffs = nn.ModuleList(nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d)) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(d) for _ in range(depth))
        self.cls = nn.Linear(d, 1)

    def forward(self, var, val, t, pad):
        x = self.var(var)
        x += self.val(val.unsqueeze(-1))
        for n, a, f in zip(self.norms, self.atts, self.ffs):
            x = x + a(n(x), t, pad)
            x = x + f(x)
        x = x.masked_fill(pad.unsqueeze(-1), 0.0)
        return self.cls(x.sum(1) / (~pad).sum(1, keepdim=True)).squeeze(1)


def collate(series, variables):
    n = max(len(s) for s in series)
    out = torch.zeros(3, len(series), n)
    pad = torch.ones(len(series), n, dtype=torch.bool)
    for i, s in enumerate(series):
        out[:, i, : len(s)] = s.T
        pad[i, : len(s)] = False
    return out[0].long() % variables, out[1], out[2], pad


def train(model, batches, variables):
    opt = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), 1e-3)
    for series, y in batches:
        loss = F.binary_cross_entropy_with_logits(model(*collate(series, variables)), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


# --- driver ---
torch.manual_seed(46)
mk = lambda: [torch.rand(int(torch.randint(3, 8, ())), 3) * 10 for _ in range(5)]
train(Encoder(6), [(mk(), (torch.rand(5) < 0.5).float()) for _ in range(3)], 6)
