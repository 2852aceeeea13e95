"""Convolution-free VAE for toy spectra with a sampling temperature, free bits and KL warm-up."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class DiagGaussian:
    def __init__(self, mean, logvar):
        self.mean, self.logvar = mean, logvar
        self.std = torch.exp(0.5 * logvar)

    def rsample(self):
        return self.mean + self.std * torch.randn_like(self.std)

    def cool(self, temperature):
        self.std *= temperature  # BUG
        return self

    def kl_standard(self):
        return 0.5 * (self.mean.square() + self.logvar.exp() - 1 - self.logvar)

    @classmethod
    def from_flat(cls, flat):
        mean, logvar = flat.chunk(2, -1)
        return cls(mean, logvar.clamp(-8, 4))


class GatedDense(nn.Module):
    def __init__(self, din, dout):
        super().__init__()
        self.lin = nn.Linear(din, 2 * dout)

    def forward(self, x):
        return F.glu(self.lin(x), dim=-1)


def gated_stack(*sizes):
    return nn.Sequential(*(GatedDense(a, b) for a, b in zip(sizes, sizes[1:])))


class SpectrumVAE(nn.Module):
    def __init__(self, bins=32, latent=4, hidden=24, temperature=0.9):
        super().__init__()
        self.enc = nn.Sequential(gated_stack(bins, hidden, hidden), nn.Linear(hidden, 2 * latent))
        self.dec = nn.Sequential(gated_stack(latent, hidden, hidden), nn.Linear(hidden, bins))
        self.log_sigma = nn.Parameter(torch.zeros(bins))
        self.temperature = temperature
        self.latent = latent

    def posterior(self, x):
        return DiagGaussian.from_flat(self.enc(x))

    def log_likelihood(self, x, recon):
        z = (x - recon) * torch.exp(-self.log_sigma)
        return -(0.5 * z.square() + self.log_sigma + 0.5 * math.log(2 * math.pi)).sum(-1)

    def forward(self, x):
        q = self.posterior(x)
        if self.temperature != 1.0:
            q.cool(self.temperature)
        return self.dec(q.rsample()), q

    @torch.no_grad()
    def generate(self, n):
        z = torch.randn(n, self.latent).mul_(self.temperature)
        return self.dec(z)


class ElboObjective:
    def __init__(self, warmup, free_bits=0.05):
        self.warmup, self.free_bits, self.step = warmup, free_bits, 0

    @property
    def beta(self):
        return min(1.0, self.step / self.warmup)

    def __call__(self, model, x):
        recon, q = model(x)
        kl = q.kl_standard().mean(0).clamp(min=self.free_bits).sum()
        self.step += 1
        return -model.log_likelihood(x, recon).mean() + self.beta * kl


def toy_spectra(n, bins):
    f = torch.linspace(0, 1, bins)
    centre, width = torch.rand(n, 1), 0.02 + 0.05 * torch.rand(n, 1)
    peaks = torch.exp(-((f - centre) / width).square_())
    return peaks.add_(torch.randn(n, bins), alpha=0.02)


def train(model, objective, steps, lr=1e-3):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    trace = torch.empty(steps)
    for i in range(steps):
        loss = objective(model, toy_spectra(32, 32))
        opt.zero_grad()
        loss.backward()
        opt.step()
        trace[i] = loss.detach()
    return trace


# --- driver ---
torch.manual_seed(31)
vae = SpectrumVAE()
train(vae, ElboObjective(warmup=2), steps=3)
vae.generate(4)
