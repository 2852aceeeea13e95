"""Fine-tunes a small denoiser by differentiating a reward through the last sampling steps."""
import math

import torch
from torch import nn


def cosine_alphas(T, s=0.008):
    t = torch.linspace(0, 1, T + 1)
    f = torch.cos((t + s) / (1 + s) * math.pi / 2) ** 2
    abar = f / f[0]
    return abar.clamp_(1e-4, 0.9999)


class TimeEmbed(nn.Module):
    def __init__(self, dim):
        super().__init__()
        freqs = torch.exp(-math.log(1000.0) * torch.arange(dim // 2) / (dim // 2))
        self.register_buffer("freqs", freqs)

    def forward(self, t):
        a = t[:, None].float() * self.freqs
        return torch.cat([a.sin(), a.cos()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, dim, hidden=32, t_dim=8):
        super().__init__()
        self.t = TimeEmbed(t_dim)
        self.inp = nn.Linear(dim, hidden)
        self.tproj = nn.Linear(t_dim, hidden)
        self.mid = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, x, t):
        h = nn.functional.silu(self.inp(x) + self.tproj(self.t(t)))
        h = nn.functional.silu(self.mid(h))
        return self.out(h)


class DDIMSampler:
    def __init__(self, model, T=6, eta=0.3, grad_last=3):
        self.model, self.T, self.eta, self.grad_last = model, T, eta, grad_last
        self.abar = cosine_alphas(T)

    def _sigma(self, i):
        a, ap = self.abar[i], self.abar[i - 1]
        return self.eta * ((1 - ap) / (1 - a) * (1 - a / ap)).sqrt()

    def step(self, x, i):
        t = torch.full((x.size(0),), i)
        eps = self.model(x, t)
        a, ap = self.abar[i], self.abar[i - 1]
        sig = self._sigma(i)
        x0 = (x - (1 - a).sqrt() * eps) / a.sqrt()
        mean = ap.sqrt() * x0 + (1 - ap - sig ** 2).clamp(min=0).sqrt() * eps
        return mean, sig

    def run(self, x):
        for i in range(self.T, 0, -1):
            with torch.set_grad_enabled(i <= self.grad_last):
                mean, sig = self.step(x, i)
            if i > 1:
                x.copy_(mean).add_(sig * torch.randn_like(x))  # BUG
            else:
                x = mean
        return x


class Reward(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.register_buffer("target", target)

    def forward(self, x):
        return -((x - self.target) ** 2).sum(-1)


def tune(sampler, reward, n, dim, steps, lr=1e-3):
    opt = torch.optim.AdamW(sampler.model.parameters(), lr=lr)
    for _ in range(steps):
        x = sampler.run(torch.randn(n, dim))
        loss = -reward(x).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(sampler.model.parameters(), 1.0)
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(15)
sampler = DDIMSampler(Denoiser(2))
print(list(tune(sampler, Reward(torch.tensor([1.0, -1.0])), 8, 2, 1)))
