import math
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


class Posterior(NamedTuple):
    mu: torch.Tensor
    logvar: torch.Tensor

    def rsample(self):
        std = (0.5 * self.logvar).exp()
        eps = torch.randn_like(std)
        eps.mul_(std).add_(self.mu)
        return eps

    def kl(self):
        k = self.mu.pow(2) + self.logvar.exp()
        k -= self.logvar
        k -= 1
        k *= 0.5
        return k


class VAE(nn.Module):
    def __init__(self, d=16, h=12, z=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.ReLU(inplace=True), nn.Linear(h, h), nn.ReLU(inplace=True))
        self.mu, self.logvar = nn.Linear(h, z), nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(inplace=True), nn.Linear(h, d))
        nn.init.zeros_(self.logvar.weight)
        nn.init.constant_(self.logvar.bias, -2.0)
        self.register_buffer("kl_avg", torch.zeros(z))

    def encode(self, x):
        h = self.enc(x)
        return Posterior(self.mu(h), self.logvar(h).clamp_(-8, 4))

    def forward(self, x):
        q = self.encode(x)
        out = self.dec(q.rsample())
        out.add_(x.mean(0).clamp(0.05, 0.95).logit())
        return out, q

    @torch.no_grad()
    def active_units(self, kl, thr=0.01):
        self.kl_avg.mul_(0.9).add_(kl.mean(0), alpha=0.1)
        return int((self.kl_avg > thr).sum())

    @torch.no_grad()
    def traverse(self, x, dim, n=5):
        z = self.encode(x[:1]).mu.repeat(n, 1)
        z[:, dim] = torch.linspace(-2, 2, n)
        return self.dec(z).sigmoid_()


class CyclicBeta:
    def __init__(self, period, peak=1.0):
        self.t, self.period, self.peak = 0, period, peak

    def __next__(self):
        phase = (self.t % self.period) / self.period
        self.t += 1
        return self.peak * min(1.0, 2 * phase) * 0.5 * (1 + math.tanh(phase))


def elbo(model, x, beta, free_bits=0.02):
    logits, q = model(x)
    rec = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
    kl = q.kl()
    penalised = kl.mean(0).clamp(min=free_bits).sum()
    return rec.mean() + beta * penalised, kl.detach()


def bars(n, side=4):
    img = torch.zeros(n, side, side)
    for i in range(n):
        k = int(torch.randint(side, ()))
        if torch.rand(()) < 0.5:
            img[i, k] = 1
        else:
            img[i, :, k] = 1
    flip = torch.rand_like(img) < 0.02
    img[flip] = 1 - img[flip]
    return img.flatten(1)


def train(model, steps, n=12):
    beta = CyclicBeta(4)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    log = torch.full((steps, 2), float("nan"))
    for i in range(steps):
        loss, kl = elbo(model, bars(n), next(beta))
        opt.zero_grad()
        loss.backward()
        opt.step()
        log[i, 0] = loss.item()
        log[i, 1] = model.active_units(kl)
    return log


# --- driver ---
torch.manual_seed(0)
vae = VAE()
train(vae, 2)
vae.traverse(bars(2), 0)
