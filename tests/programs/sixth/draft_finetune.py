"""Reward fine-tuning of a small denoiser by backpropagating through the sampling chain."""
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class SamplerConfig:
    steps: int = 4
    beta_start: float = 1e-2
    beta_end: float = 0.2
    grad_steps: int = 2


class Schedule:
    def __init__(self, cfg: SamplerConfig):
        betas = torch.linspace(cfg.beta_start, cfg.beta_end, cfg.steps)
        self.alphas = 1.0 - betas
        self.alpha_bar = torch.cumprod(self.alphas, dim=0)
        self.sigma = betas.sqrt()
        self.sigma[0] = 0.0

    def coeffs(self, t):
        a, ab = self.alphas[t], self.alpha_bar[t]
        return a.rsqrt(), (1 - a) / (1 - ab).sqrt(), self.sigma[t]


class TimeEmbedding(nn.Module):
    def __init__(self, dim, steps):
        super().__init__()
        self.table = nn.Embedding(steps, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, t):
        return self.mlp(self.table(t))


class Denoiser(nn.Module):
    def __init__(self, ch=8, steps=4):
        super().__init__()
        self.temb = TimeEmbedding(ch, steps)
        self.inp = nn.Conv2d(1, ch, 3, padding=1)
        self.mid = nn.Conv2d(ch, ch, 3, padding=1)
        self.out = nn.Conv2d(ch, 1, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x)
        h += self.temb(t)[:, :, None, None]
        h = F.silu(h)
        h = h + F.silu(self.mid(h))
        return self.out(h)


class DRaFT:
    def __init__(self, net: nn.Module, reward: Callable, cfg: SamplerConfig, lr: float = 1e-4):
        self.net, self.reward, self.cfg = net, reward, cfg
        self.schedule = Schedule(cfg)
        self.opt = torch.optim.AdamW(net.parameters(), lr=lr)

    def sample(self, shape):
        x = torch.randn(shape)
        for i in reversed(range(self.cfg.steps)):
            t = torch.full((shape[0],), i, dtype=torch.long)
            scale, w, sigma = self.schedule.coeffs(i)
            with torch.set_grad_enabled(i < self.cfg.grad_steps):
                eps = self.net(x, t)
                x.sub_(w * eps)  # BUG
                x = x * scale + sigma * torch.randn_like(x)
        return x

    def update(self, shape):
        samples = self.sample(shape)
        loss = -self.reward(samples).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


def brightness_reward(x):
    return -(x.mean(dim=(1, 2, 3)) - 0.5).pow(2)


# --- driver ---
torch.manual_seed(0)
trainer = DRaFT(Denoiser(), brightness_reward, SamplerConfig())
trainer.update((2, 1, 6, 6))
