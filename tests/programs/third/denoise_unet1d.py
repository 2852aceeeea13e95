"""1-D denoising diffusion over short trajectories."""
import math
from dataclasses import dataclass, field
from typing import List

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class DiffusionConfig:
    channels: int = 2
    widths: List[int] = field(default_factory=lambda: [4, 8])
    steps: int = 20
    beta_start: float = 1e-3
    beta_end: float = 0.1


def timestep_embedding(t, dim):
    half = dim // 2
    freq = torch.exp(-math.log(10000.0) * torch.arange(half) / half)
    ang = t.float()[:, None] * freq[None]
    return torch.cat([ang.sin(), ang.cos()], -1)


class ResBlock1d(nn.Module):
    def __init__(self, cin, cout, emb_dim):
        super().__init__()
        self.conv1 = nn.Conv1d(cin, cout, 3, padding=1)
        self.conv2 = nn.Conv1d(cout, cout, 3, padding=1)
        self.emb = nn.Linear(emb_dim, cout)
        self.skip = nn.Identity() if cin == cout else nn.Conv1d(cin, cout, 1)

    def forward(self, x, emb):
        h = self.conv1(x)
        act = F.silu(h)
        h += self.emb(F.silu(emb))[:, :, None]  # BUG
        h = self.conv2(act * torch.sigmoid(h))
        return h + self.skip(x)


class UNet1d(nn.Module):
    def __init__(self, cfg: DiffusionConfig, emb_dim: int = 8):
        super().__init__()
        self.emb_dim = emb_dim
        dims = [cfg.channels, *cfg.widths]
        self.down = nn.ModuleList(ResBlock1d(a, b, emb_dim) for a, b in zip(dims, dims[1:]))
        rev = cfg.widths[::-1]
        self.up = nn.ModuleList(ResBlock1d(2 * a, b, emb_dim) for a, b in zip(rev, rev[1:] + [cfg.widths[0]]))
        self.out = nn.Conv1d(cfg.widths[0], cfg.channels, 1)

    def forward(self, x, t):
        emb = timestep_embedding(t, self.emb_dim)
        skips = []
        for block in self.down:
            x = block(x, emb)
            skips.append(x)
        for block in self.up:
            x = block(torch.cat([x, skips.pop()], 1), emb)
        return self.out(x)


class Diffusion(nn.Module):
    def __init__(self, net, cfg):
        super().__init__()
        self.net, self.cfg = net, cfg
        betas = torch.linspace(cfg.beta_start, cfg.beta_end, cfg.steps)
        self.register_buffer("abar", torch.cumprod(1 - betas, 0))

    def loss(self, x0):
        t = torch.randint(0, self.cfg.steps, (len(x0),))
        a = self.abar[t][:, None, None]
        noise = torch.randn_like(x0)
        xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
        return F.mse_loss(self.net(xt, t), noise)


# --- driver ---
torch.manual_seed(18)
cfg = DiffusionConfig()
ddpm = Diffusion(UNet1d(cfg), cfg)
opt = torch.optim.AdamW(ddpm.parameters(), 1e-3)
loss = ddpm.loss(torch.randn(3, 2, 8))
loss.backward()
opt.step()
