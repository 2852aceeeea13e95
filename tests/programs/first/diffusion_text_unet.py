"""Text-conditioned denoiser with cross attention and a cosine noise schedule."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_alpha_bar(steps):
    t = torch.linspace(0, 1, steps + 1)
    f = torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
    return (f / f[0])[1:].clamp(1e-4, 0.9999)


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half) / half)
    args = t[:, None].float() * freqs[None]
    return torch.cat([args.cos(), args.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, ch, t_dim):
        super().__init__()
        self.norm = nn.GroupNorm(4, ch)
        self.conv = nn.Conv2d(ch, ch, 3, padding=1)
        self.t_proj = nn.Linear(t_dim, ch)

    def forward(self, x, t_emb):
        h = self.conv(F.silu(self.norm(x)))
        h += self.t_proj(t_emb)[:, :, None, None]
        return x + h


class CrossAttention(nn.Module):
    def __init__(self, ch, ctx_dim, heads=2):
        super().__init__()
        self.heads, self.dh = heads, ch // heads
        self.to_q = nn.Linear(ch, ch, bias=False)
        self.to_k = nn.Linear(ctx_dim, ch, bias=False)
        self.to_v = nn.Linear(ctx_dim, ch, bias=False)
        self.out = nn.Linear(ch, ch)

    def split(self, x):
        b, n, _ = x.shape
        return x.view(b, n, self.heads, self.dh).transpose(1, 2)

    def forward(self, x, ctx, pad_mask):
        b, c, hh, ww = x.shape
        tokens = x.flatten(2).transpose(1, 2)
        q, k, v = self.split(self.to_q(tokens)), self.split(self.to_k(ctx)), self.split(self.to_v(ctx))
        attn = torch.einsum('bhid,bhjd->bhij', q, k) / math.sqrt(self.dh)
        attn = attn.softmax(dim=-1)
        attn.masked_fill_(pad_mask[:, None, None, :], 0.0)  # BUG
        y = torch.einsum('bhij,bhjd->bhid', attn, v)
        y = y.transpose(1, 2).reshape(b, hh * ww, c)
        return x + self.out(y).transpose(1, 2).view(b, c, hh, ww)


class Denoiser(nn.Module):
    def __init__(self, ch=16, t_dim=16, vocab=50, ctx_dim=12):
        super().__init__()
        self.t_dim = t_dim
        self.tok = nn.Embedding(vocab, ctx_dim, padding_idx=0)
        self.t_mlp = nn.Sequential(nn.Linear(t_dim, t_dim), nn.SiLU(), nn.Linear(t_dim, t_dim))
        self.inp = nn.Conv2d(3, ch, 3, padding=1)
        self.res = nn.ModuleList([ResBlock(ch, t_dim) for _ in range(2)])
        self.attn = nn.ModuleList([CrossAttention(ch, ctx_dim) for _ in range(2)])
        self.outp = nn.Conv2d(ch, 3, 3, padding=1)

    def forward(self, x, t, tokens):
        ctx, pad = self.tok(tokens), tokens.eq(0)
        emb = self.t_mlp(timestep_embedding(t, self.t_dim))
        h = self.inp(x)
        for res, attn in zip(self.res, self.attn):
            h = attn(res(h, emb), ctx, pad)
        return self.outp(F.silu(h))


class GaussianDiffusion:
    def __init__(self, model, steps=50):
        self.model, self.steps = model, steps
        self.alpha_bar = cosine_alpha_bar(steps)

    def q_sample(self, x0, t, noise):
        a = self.alpha_bar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def loss(self, x0, tokens):
        t = torch.randint(0, self.steps, (x0.size(0),))
        noise = torch.randn_like(x0)
        return F.mse_loss(self.model(self.q_sample(x0, t, noise), t, tokens), noise)


# --- driver ---
diff = GaussianDiffusion(Denoiser())
opt = torch.optim.AdamW(diff.model.parameters(), lr=1e-3)
for _ in range(2):
    toks = torch.randint(1, 50, (2, 6))
    toks[:, 4:] = 0
    loss = diff.loss(torch.randn(2, 3, 8, 8), toks)
    opt.zero_grad()
    loss.backward()
    opt.step()
