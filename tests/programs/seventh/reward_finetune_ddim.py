"""Fine-tune a denoiser by back-propagating a reward through a short DDIM chain."""
import math
from typing import Optional

import torch
from torch import nn


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        freqs = torch.exp(torch.arange(dim // 2) * (-math.log(100.0) / (dim // 2)))
        self.register_buffer("freqs", freqs, persistent=False)

    def forward(self, t):
        a = t[:, None].float() * self.freqs
        return torch.cat([a.sin(), a.cos()], -1)


class Denoiser(nn.Module):
    def __init__(self, ch=6, temb=8):
        super().__init__()
        self.temb = TimeEmbedding(temb)
        self.inp = nn.Conv2d(1, ch, 3, padding=1)
        self.film = nn.Linear(temb, 2 * ch)
        self.mid = nn.Conv2d(ch, ch, 3, padding=1)
        self.out = nn.Conv2d(ch, 1, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x)
        g, b = self.film(self.temb(t))[:, :, None, None].chunk(2, 1)
        h = nn.functional.silu(h * (1 + g) + b)
        return self.out(nn.functional.silu(self.mid(h)))


class Schedule:
    def __init__(self, T=20):
        beta = torch.linspace(1e-3, 0.2, T)
        self.T = T
        self.abar = torch.cumprod(1 - beta, 0)

    def pairs(self, n):
        idx = torch.linspace(self.T - 1, 0, n).long().tolist()
        return list(zip(idx, idx[1:] + [None]))

    def __getitem__(self, i: Optional[int]):
        return torch.tensor(1.0) if i is None else self.abar[i]


def ddim(model, sched, latents, n_steps):
    for t, s in sched.pairs(n_steps):
        a_t, a_s = sched[t], sched[s]
        eps = model(latents, torch.full((latents.size(0),), t))
        ratio = (a_s / a_t).sqrt()
        coef = (1 - a_s).sqrt() - ratio * (1 - a_t).sqrt()
        latents.mul_(ratio).add_(coef * eps)  # BUG
    return latents


class Reward(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.register_buffer("target", target)

    def forward(self, img):
        return -(img.mean((1, 2, 3)) - self.target).abs() - 0.01 * img.diff(dim=-1).abs().mean((1, 2, 3))


class DRaFT:
    def __init__(self, model, sched, reward, lr=1e-4, steps=4):
        self.model, self.sched, self.reward, self.steps = model, sched, reward, steps
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr)

    def update(self, n):
        noise = torch.randn(n, 1, 8, 8)
        img = ddim(self.model, self.sched, noise, self.steps)
        loss = -self.reward(img).mean()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.opt.step()
        return -loss.item()


# --- driver ---
torch.manual_seed(0)
DRaFT(Denoiser(), Schedule(), Reward(torch.tensor(0.5))).update(2)
