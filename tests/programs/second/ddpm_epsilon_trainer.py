"""DDPM with v/epsilon parameterisation, self-conditioning and an EMA sampler."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Schedule:
    def __init__(self, steps=20, s=0.008):
        t = torch.linspace(0, 1, steps + 1)
        f = torch.cos((t + s) / (1 + s) * math.pi / 2).pow_(2)
        f /= f[0].clone()
        betas = (1 - f[1:] / f[:-1]).clamp_(max=0.999)
        self.betas, self.alphas = betas, 1 - betas
        self.abar = self.alphas.cumprod(0)
        self.steps = steps

    def q_sample(self, x0, t, noise):
        a = self.abar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def predict_x0(self, xt, t, eps):
        a = self.abar[t].view(-1, 1, 1, 1)
        return (xt - (1 - a).sqrt() * eps) / a.sqrt()


def timestep_embedding(t, dim):
    half = dim // 2
    freq = torch.arange(half).float().mul_(-math.log(10000) / half).exp_()
    arg = t[:, None].float() * freq
    return torch.cat([arg.sin(), arg.cos()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, ch, tdim):
        super().__init__()
        self.n1, self.n2 = nn.GroupNorm(2, ch), nn.GroupNorm(2, ch)
        self.c1, self.c2 = nn.Conv2d(ch, ch, 3, padding=1), nn.Conv2d(ch, ch, 3, padding=1)
        self.emb = nn.Linear(tdim, ch)

    def forward(self, x, temb):
        h = self.c1(F.silu(self.n1(x)))
        h += self.emb(temb)[:, :, None, None]
        h = self.c2(F.silu(self.n2(h)))
        h += x
        return h


class Denoiser(nn.Module):
    def __init__(self, cin=1, ch=8, tdim=16):
        super().__init__()
        self.tdim = tdim
        self.temb = nn.Sequential(nn.Linear(tdim, tdim), nn.SiLU(inplace=True), nn.Linear(tdim, tdim))
        self.inp = nn.Conv2d(cin * 2, ch, 3, padding=1)
        self.down = nn.Conv2d(ch, ch, 4, 2, 1)
        self.mid = ResBlock(ch, tdim)
        self.up = nn.ConvTranspose2d(ch, ch, 4, 2, 1)
        self.out_block = ResBlock(ch, tdim)
        self.out = nn.Conv2d(ch, cin, 3, padding=1)

    def forward(self, x, t, cond=None):
        cond = torch.zeros_like(x) if cond is None else cond
        e = self.temb(timestep_embedding(t, self.tdim))
        h0 = self.inp(torch.cat([x, cond], 1))
        h = self.up(self.mid(self.down(h0), e))
        h += h0
        return self.out(self.out_block(h, e))


class EMA:
    def __init__(self, model, decay=0.95):
        self.model, self.decay = copy.deepcopy(model).requires_grad_(False), decay

    @torch.no_grad()
    def update(self, src):
        for a, b in zip(self.model.parameters(), src.parameters()):
            a.lerp_(b, 1 - self.decay)


def diffusion_loss(model, sched, x0):
    t = torch.randint(0, sched.steps, (x0.size(0),))
    noise = torch.randn_like(x0)
    xt = sched.q_sample(x0, t, noise)
    cond = None
    if torch.rand(()) < 0.5:
        with torch.no_grad():
            cond = sched.predict_x0(xt, t, model(xt, t)).clamp_(-1, 1)
    eps = model(xt, t, cond)
    snr = sched.abar[t] / (1 - sched.abar[t])
    w = (snr.clamp(max=5) / snr).clamp_(max=1.0)
    return (w * (eps - noise).pow(2).mean((1, 2, 3))).mean()


@torch.no_grad()
def sample(model, sched, shape):
    x = torch.randn(shape)
    for i in reversed(range(sched.steps)):
        t = torch.full((shape[0],), i)
        eps = model(x, t)
        x.sub_(sched.betas[i] / (1 - sched.abar[i]).sqrt() * eps).div_(sched.alphas[i].sqrt())
        if i > 0:
            x.add_(sched.betas[i].sqrt() * torch.randn_like(x))
    return x.clamp_(-1, 1)


def train(model, sched, data):
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
    ema = EMA(model)
    for x0 in data:
        loss = diffusion_loss(model, sched, x0)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(model)
    return ema


# --- driver ---
torch.manual_seed(0)
sched = Schedule()
ema = train(Denoiser(), sched, [torch.rand(2, 1, 8, 8) * 2 - 1 for _ in range(3)])
sample(ema.model, sched, (1, 1, 8, 8))
