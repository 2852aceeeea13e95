"""Denoising diffusion for 1-d signals: v-prediction, classifier-free guidance, inpainting sampler."""
import copy
import math
from types import SimpleNamespace

import torch
import torch.nn as nn
import torch.nn.functional as F


def cosine_schedule(T, s=0.008):
    t = torch.linspace(0, T, T + 1) / T
    f = torch.cos((t + s) / (1 + s) * math.pi / 2).pow_(2)
    f /= f[0].clone()
    beta = 1 - f[1:] / f[:-1]
    return beta.clamp_(0, 0.999)


class Block(nn.Module):
    def __init__(self, ch, emb):
        super().__init__()
        self.norm = nn.GroupNorm(2, ch)
        self.conv = nn.Conv1d(ch, ch, 3, padding=1)
        self.emb = nn.Linear(emb, ch)
        self.out = nn.Conv1d(ch, ch, 3, padding=1)

    def forward(self, x, e):
        h = self.conv(F.silu(self.norm(x)))
        h += self.emb(e)[..., None]
        h = self.out(F.silu(h))
        h += x
        return h


class UNet1d(nn.Module):
    def __init__(self, n_classes, ch=8, emb=8):
        super().__init__()
        self.register_buffer("freq", torch.arange(emb // 2).float().mul_(-1.0).exp_())
        self.label = nn.Embedding(n_classes + 1, emb)
        self.null = n_classes
        self.inp, self.down = nn.Conv1d(1, ch, 3, padding=1), nn.Conv1d(ch, ch, 4, 2, 1)
        self.b1, self.b2, self.b3 = Block(ch, emb), Block(ch, emb), Block(ch, emb)
        self.out = nn.Conv1d(ch, 1, 3, padding=1)

    def forward(self, x, t, y):
        a = t[:, None].float() * self.freq
        e = torch.cat([a.sin(), a.cos()], 1)
        e += self.label(y)
        skip = self.b1(self.inp(x), e)
        h = self.b2(self.down(skip), e)
        h = F.interpolate(h, scale_factor=2)
        h += skip
        return self.out(self.b3(h, e))


class Diffusion:
    def __init__(self, cfg):
        self.cfg = cfg
        self.beta = cosine_schedule(cfg.T)
        self.abar = torch.cumprod(1 - self.beta, 0)
        self.net = UNet1d(cfg.classes)
        self.ema = copy.deepcopy(self.net).requires_grad_(False)
        self.opt = torch.optim.AdamW(self.net.parameters(), lr=cfg.lr)

    def coef(self, t):
        a = self.abar[t].view(-1, 1, 1)
        return a.sqrt(), (1 - a).sqrt()

    def loss(self, x, y):
        t = torch.randint(self.cfg.T, (len(x),))
        y = y.clone()
        y[torch.rand(len(y)) < self.cfg.p_uncond] = self.net.null
        eps = torch.randn_like(x)
        a, s = self.coef(t)
        xt = torch.mul(x, a).addcmul_(eps, s)
        v = eps.mul_(a).sub_(x * s)
        w = torch.ones_like(a)
        w.div_((a / s).pow_(2).clamp_(min=1.0)).clamp_(min=0.1)
        return (w * (self.net(xt, t, y) - v).pow(2)).mean()

    def step(self, x, y):
        self.opt.zero_grad()
        loss = self.loss(x, y)
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.ema.parameters()), list(self.net.parameters()), 1 - self.cfg.ema)
        return loss.item()

    @torch.no_grad()
    def inpaint(self, known, mask, y, scale=2.0):
        x = torch.randn_like(known)
        for i in reversed(range(self.cfg.T)):
            t = torch.full((len(x),), i)
            a, s = self.coef(t)
            v = self.ema(x, t, torch.full_like(y, self.net.null))
            v.lerp_(self.ema(x, t, y), scale)
            x0 = (a * x - s * v).clamp_(-2, 2)
            eps = s * x + a * v
            if i:
                ap, sp = self.coef(t - 1)
                x = x0.mul_(ap).add_(eps.mul_(sp))
                x[mask] = (ap * known + sp * torch.randn_like(x))[mask]
            else:
                x = x0
        x[mask] = known[mask]
        return x


# --- driver ---
torch.manual_seed(0)
d = Diffusion(SimpleNamespace(T=6, classes=2, lr=1e-3, p_uncond=0.2, ema=0.9))
y = torch.tensor([0, 1, 1])
x = torch.sin(torch.linspace(0, 6, 16) * (y[:, None] + 1)).unsqueeze(1)
for _ in range(2):
    d.step(x, y)
d.inpaint(x, torch.arange(16).expand(3, 1, 16) < 5, y)
