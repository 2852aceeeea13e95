"""Convolutional VAE with free bits and beta warm-up."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class VAEOutput:
    recon: torch.Tensor
    mu: torch.Tensor
    std: torch.Tensor
    z: torch.Tensor


class Encoder(nn.Module):
    def __init__(self, latent, ch=8):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, ch, 4, 2, 1), nn.BatchNorm2d(ch), nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ch, ch * 2, 4, 2, 1), nn.BatchNorm2d(ch * 2), nn.LeakyReLU(0.2, inplace=True),
        )
        self.mu = nn.Linear(ch * 2 * 16, latent)
        self.logvar = nn.Linear(ch * 2 * 16, latent)

    def forward(self, x):
        h = self.conv(x).flatten(1)
        return self.mu(h), self.logvar(h)


class Decoder(nn.Module):
    def __init__(self, latent, ch=8):
        super().__init__()
        self.ch = ch
        self.fc = nn.Linear(latent, ch * 2 * 16)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(ch * 2, ch, 4, 2, 1), nn.ReLU(inplace=True),
            nn.ConvTranspose2d(ch, 1, 4, 2, 1),
        )

    def forward(self, z):
        h = self.fc(z).view(-1, self.ch * 2, 4, 4)
        return self.up(h)


class VAE(nn.Module):
    min_std = 1e-3

    def __init__(self, latent=6):
        super().__init__()
        self.encoder, self.decoder = Encoder(latent), Decoder(latent)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        std.add_(self.min_std)  # BUG
        eps = torch.randn_like(std)
        return mu + eps * std, std

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z, std = self.reparameterize(mu, logvar)
        return VAEOutput(self.decoder(z), mu, std, z)


def elbo(out: VAEOutput, x, beta, free_bits=0.1):
    rec = F.binary_cross_entropy_with_logits(out.recon, x, reduction="none").sum((1, 2, 3))
    q = torch.distributions.Normal(out.mu, out.std)
    p = torch.distributions.Normal(torch.zeros_like(out.mu), torch.ones_like(out.std))
    kl = torch.distributions.kl_divergence(q, p).mean(0).clamp(min=free_bits).sum()
    return rec.mean() + beta * kl


def train(model, loader, warmup=10):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for i, x in enumerate(loader):
        beta = min(1.0, (i + 1) / warmup)
        loss = elbo(model(x), x, beta)
        opt.zero_grad()
        loss.backward()
        opt.step()
        yield loss.item()


# --- driver ---
torch.manual_seed(0)
list(train(VAE(), [torch.rand(4, 1, 16, 16) for _ in range(2)]))
