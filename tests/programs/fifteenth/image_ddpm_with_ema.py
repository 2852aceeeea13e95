"""DDPM on tiny images with classifier-free guidance and averaged weights."""
import copy
import math
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class TimeMLP(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.net = nn.Sequential(nn.Linear(dim, dim), nn.SiLU(inplace=True), nn.Linear(dim, dim))

    def forward(self, t):
        half = self.dim // 2
        f = torch.exp(torch.arange(half) * (-math.log(1e4) / half))
        arg = t.float()[:, None] * f
        table = torch.empty(len(t), self.dim)
        table[:, 0::2], table[:, 1::2] = arg.sin(), arg.cos()
        return self.net(table)


class ResBlock(nn.Module):
    def __init__(self, c, emb):
        super().__init__()
        self.n1, self.n2 = nn.GroupNorm(4, c), nn.GroupNorm(4, c)
        self.c1, self.c2 = nn.Conv2d(c, c, 3, padding=1), nn.Conv2d(c, c, 3, padding=1)
        self.emb = nn.Linear(emb, c)

    def forward(self, x, e):
        h = self.c1(F.silu(self.n1(x), inplace=True))
        h += self.emb(e)[:, :, None, None]
        h = self.c2(F.silu(self.n2(h)))
        h += x
        return h


class Denoiser(nn.Module):
    def __init__(self, n_cls, c=16, emb=16, depth=2):
        super().__init__()
        self.null = n_cls
        self.time, self.label = TimeMLP(emb), nn.Embedding(n_cls + 1, emb)
        self.inp, self.out = nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 1, 3, padding=1)
        self.blocks = nn.ModuleList(ResBlock(c, emb) for _ in range(depth))

    def forward(self, x: Tensor, t: Tensor, y: Optional[Tensor] = None):
        y = torch.full_like(t, self.null) if y is None else y
        e = self.time(t)
        e += self.label(y)
        h = self.inp(x)
        for b in self.blocks:
            h = b(h, e)
        return self.out(h)


class Diffusion:
    def __init__(self, steps=20):
        self.n = steps
        self.beta = torch.linspace(1e-3, 0.15, steps)
        self.abar = (1 - self.beta).cumprod(0)

    def perturb(self, x0, t, noise):
        a = self.abar[t].view(-1, 1, 1, 1)
        x = x0.clone()
        x.mul_(a.sqrt())
        x.add_(noise * (1 - a).sqrt())
        return x

    def loss(self, model, x0, y, drop=0.2):
        t = torch.randint(0, self.n, (len(x0),))
        y = y.clone()
        y[torch.rand(len(y)) < drop] = model.null
        noise = torch.randn_like(x0)
        return F.mse_loss(model(self.perturb(x0, t, noise), t, y), noise)

    @torch.no_grad()
    def sample(self, model, y, size, guidance=1.5):
        x = torch.randn(len(y), 1, size, size)
        for i in range(self.n - 1, -1, -1):
            t = torch.full((len(y),), i)
            eps = model(x, t)
            eps += guidance * (model(x, t, y) - eps)
            x -= self.beta[i] / (1 - self.abar[i]).sqrt() * eps
            x /= (1 - self.beta[i]).sqrt()
            if i:
                x += self.beta[i].sqrt() * torch.randn_like(x)
        return x.clamp_(-1, 1)


@torch.no_grad()
def average(ema, model, d=0.95):
    torch._foreach_lerp_(list(ema.parameters()), list(model.parameters()), 1 - d)


# --- driver ---
if __name__ == "__main__":
    torch.manual_seed(0)
    model, diff = Denoiser(3), Diffusion()
    ema = copy.deepcopy(model).requires_grad_(False)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(3):
        loss = diff.loss(model, torch.rand(4, 1, 8, 8) * 2 - 1, torch.randint(0, 3, (4,)))
        opt.zero_grad()
        loss.backward()
        opt.step()
        average(ema, model)
        print(step, loss.item())
    print(diff.sample(ema, torch.arange(3), 8).std().item())
