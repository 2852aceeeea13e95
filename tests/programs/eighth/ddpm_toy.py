"""Denoising diffusion on 2-D points with DDPM and DDIM samplers."""
import enum
import math
from abc import ABC, abstractmethod

import torch
import torch.nn as nn


class Schedule(enum.Enum):
    LINEAR = 0
    COSINE = 1


def betas_for(schedule, steps):
    if schedule is Schedule.LINEAR:
        return torch.linspace(1e-4, 0.2, steps)
    b = torch.empty(steps)
    f = lambda t: math.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
    for i in range(steps):
        b[i] = 1 - f((i + 1) / steps) / f(i / steps)
    return b.clamp_(max=0.999)


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        half = dim // 2
        self.register_buffer("freq", torch.exp(torch.arange(half).float().mul_(-math.log(1e3) / half)))

    def forward(self, t):
        arg = t.float()[:, None] * self.freq
        out = torch.empty(t.size(0), 2 * self.freq.numel())
        out[:, ::2], out[:, 1::2] = arg.sin(), arg.cos()
        return out


class Denoiser(nn.Module):
    def __init__(self, dim=2, hid=24):
        super().__init__()
        self.time = TimeEmbedding(hid)
        self.inp, self.t_proj = nn.Linear(dim, hid), nn.Linear(hid, hid)
        self.mid, self.out = nn.Linear(hid, hid), nn.Linear(hid, dim)
        nn.init.zeros_(self.out.bias)

    def forward(self, x, t):
        h = self.inp(x)
        h += self.t_proj(self.time(t))
        h = torch.relu_(h)
        h = torch.relu_(self.mid(h))
        return self.out(h)


class Diffusion(nn.Module):
    def __init__(self, schedule=Schedule.COSINE, steps=10):
        super().__init__()
        beta = betas_for(schedule, steps)
        self.steps = steps
        self.register_buffer("beta", beta)
        self.register_buffer("abar", (1 - beta).cumprod(0))

    def add_noise(self, x0, t, noise):
        a = self.abar[t][:, None]
        return (a.sqrt() * x0).addcmul_((1 - a).sqrt_(), noise)

    def loss(self, net, x0):
        t = torch.empty(x0.size(0), dtype=torch.long).random_(self.steps)
        noise = torch.randn_like(x0)
        err = net(self.add_noise(x0, t, noise), t)
        err -= noise
        snr = self.abar[t] / (1 - self.abar[t])
        w = snr.clamp_(max=5.0).div_(5.0)
        return (w[:, None] * err ** 2).mean()


class Sampler(ABC):
    def __init__(self, diff):
        self.d = diff

    @abstractmethod
    def step_(self, x, eps, t): ...

    @torch.no_grad()
    def sample(self, net, n):
        x = torch.randn(n, 2)
        for t in range(self.d.steps - 1, -1, -1):
            self.step_(x, net(x, torch.full((n,), t)), t)
        return x


class DDPM(Sampler):
    def step_(self, x, eps, t):
        b, ab = self.d.beta[t], self.d.abar[t]
        x.sub_(eps * (b / (1 - ab).sqrt())).div_((1 - b).sqrt())
        if t:
            x.add_(torch.randn_like(x), alpha=float(b.sqrt()))


class DDIM(Sampler):
    def step_(self, x, eps, t):
        ab = self.d.abar[t]
        prev = self.d.abar[t - 1] if t else torch.tensor(1.0)
        x.sub_(eps * (1 - ab).sqrt()).div_(ab.sqrt())
        x.mul_(prev.sqrt()).add_(eps * (1 - prev).sqrt())


def swiss_roll(n):
    t = torch.rand(n).mul_(3 * math.pi).add_(math.pi)
    return torch.stack([t * t.cos(), t * t.sin()], 1).div_(8.0)


def train(net, diff, steps, batch):
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for _ in range(steps):
        loss = diff.loss(net, swiss_roll(batch))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


# --- driver ---
torch.manual_seed(0)
net, diff = Denoiser(), Diffusion()
train(net, diff, steps=2, batch=16)
for cls in (DDPM, DDIM):
    cls(diff).sample(net, 8)
