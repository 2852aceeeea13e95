"""Latent denoiser conditioned on caption tokens; EMA copy for sampling."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedCrossAttention(nn.Module):
    def __init__(self, dim, ctx, heads):
        super().__init__()
        self.h = heads
        self.q, self.kv = nn.Linear(dim, dim, bias=False), nn.Linear(ctx, 2 * dim, bias=False)
        self.o = nn.Linear(dim, dim)

    def forward(self, x, ctx, pad):
        b, n, d = x.shape
        split = lambda t: t.reshape(b, -1, self.h, d // self.h).transpose(1, 2)
        k, v = self.kv(ctx).chunk(2, dim=-1)
        q, k, v = split(self.q(x)), split(k), split(v)
        scores = q @ k.transpose(-1, -2)
        scores /= math.sqrt(d // self.h)
        scores.masked_fill_(pad[:, None, None], float('-inf'))
        attn = scores.softmax(-1)
        out = (attn @ v).transpose(1, 2).reshape(b, n, d)
        return self.o(out)


class AdaLNBlock(nn.Module):
    def __init__(self, dim, ctx, heads=2):
        super().__init__()
        self.norm = nn.LayerNorm(dim, elementwise_affine=False)
        self.mod = nn.Linear(dim, 3 * dim)
        self.attn = MaskedCrossAttention(dim, ctx, heads)
        self.mlp = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 2 * dim), nn.SiLU(inplace=False),
                                 nn.Linear(2 * dim, dim))
        nn.init.zeros_(self.mod.bias)

    def forward(self, x, t, ctx, pad):
        shift, scale, gate = self.mod(F.silu(t)).unsqueeze(1).chunk(3, dim=-1)
        h = self.norm(x) * (1 + scale) + shift
        x = x + gate * self.attn(h, ctx, pad)
        return x + self.mlp(x)


class LatentDenoiser(nn.Module):
    def __init__(self, latent=4, dim=16, vocab=40, ctx=8, depth=2, n_tokens=9):
        super().__init__()
        self.inp, self.out = nn.Linear(latent, dim), nn.Linear(dim, latent)
        self.pos = nn.Parameter(torch.randn(n_tokens, dim) * 0.02)
        self.tok = nn.Embedding(vocab, ctx, padding_idx=0)
        self.time = nn.Sequential(nn.Linear(1, dim), nn.SiLU(), nn.Linear(dim, dim))
        self.blocks = nn.ModuleList([AdaLNBlock(dim, ctx) for _ in range(depth)])

    def forward(self, z, t, caption):
        x = self.inp(z)
        x += self.pos
        temb = self.time(t.unsqueeze(1))
        ctx, pad = self.tok(caption), caption.eq(0)
        for b in self.blocks:
            x = b(x, temb, ctx, pad)
        return self.out(x)


class FlowMatching:
    """Rectified-flow objective with optional caption dropout."""

    def __init__(self, model, p_uncond=0.1, ema=0.999):
        self.model, self.p = model, p_uncond
        self.ema_model, self.ema = copy.deepcopy(model).requires_grad_(False).eval(), ema

    def loss(self, z0, caption):
        t = torch.rand(z0.size(0))
        noise = torch.randn_like(z0)
        zt = torch.lerp(z0, noise, t.view(-1, 1, 1))
        caption = caption.clone()
        caption[torch.rand(len(caption)) < self.p, 1:] = 0
        return F.mse_loss(self.model(zt, t, caption), noise - z0)

    @torch.no_grad()
    def update_ema(self):
        for e, p in zip(self.ema_model.parameters(), self.model.parameters()):
            e.mul_(self.ema).add_(p, alpha=1 - self.ema)

    @torch.no_grad()
    def sample(self, caption, shape, steps=3):
        z = torch.randn(shape)
        for i in range(steps, 0, -1):
            t = torch.full((shape[0],), i / steps)
            z -= self.ema_model(z, t, caption) / steps
        return z


# --- driver ---
fm = FlowMatching(LatentDenoiser())
opt = torch.optim.AdamW(fm.model.parameters(), lr=1e-3)
caps = torch.randint(1, 40, (3, 5))
caps[0, 3:] = 0
for _ in range(2):
    loss = fm.loss(torch.randn(3, 9, 4), caps)
    opt.zero_grad()
    loss.backward()
    opt.step()
    fm.update_ema()
print(fm.sample(caps, (3, 9, 4)).shape)
