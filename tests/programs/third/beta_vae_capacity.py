"""VAE with importance weighted bound, capacity schedule and a latent usage tracker."""
import math
from typing import Generator, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DiagonalPosterior:
    def __init__(self, mu: Tensor, logvar: Tensor):
        self.mu, self.logvar = mu, logvar
        self.std = torch.exp(0.5 * logvar)

    def rsample(self, k: int) -> Tensor:
        z = torch.empty(k, *self.mu.shape).normal_()
        return z.mul_(self.std).add_(self.mu)

    def log_prob(self, z: Tensor) -> Tensor:
        e = (z - self.mu) / self.std
        lp = e.square().mul(-0.5)
        lp -= 0.5 * self.logvar
        lp -= 0.5 * math.log(2 * math.pi)
        return lp.sum(-1)

    def kl_per_dim(self) -> Tensor:
        kl = self.mu.square() + self.logvar.exp()
        kl -= self.logvar
        kl -= 1
        kl *= 0.5
        return kl


class Encoder(nn.Module):
    def __init__(self, inp: int, hid: int, lat: int):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inp, hid), nn.ELU(inplace=True), nn.Linear(hid, hid), nn.ELU(inplace=True))
        self.mu, self.lv = nn.Linear(hid, lat), nn.Linear(hid, lat)
        with torch.no_grad():
            self.lv.weight.mul_(0.1)
            self.lv.bias.fill_(-1.0)

    def forward(self, x: Tensor) -> DiagonalPosterior:
        h = self.body(x)
        lv = self.lv(h)
        lv.clamp_(-8, 4)
        return DiagonalPosterior(self.mu(h), lv)


class Usage:
    def __init__(self, lat: int):
        self.kl = torch.zeros(lat)
        self.n = 0

    @torch.no_grad()
    def push(self, kl: Tensor):
        self.n += 1
        self.kl += (kl.mean(0) - self.kl) / self.n

    def active(self, cut: float = 0.01) -> int:
        return int((self.kl > cut).sum())


class VAE(nn.Module):
    def __init__(self, inp=10, hid=12, lat=3, k=2):
        super().__init__()
        self.enc = Encoder(inp, hid, lat)
        self.dec = nn.Sequential(nn.Linear(lat, hid), nn.ELU(inplace=True), nn.Linear(hid, inp))
        self.k, self.usage = k, Usage(lat)

    def bound(self, x: Tensor, capacity: float, gamma: float) -> Tuple[Tensor, Tensor]:
        q = self.enc(x)
        z = q.rsample(self.k)
        logits = self.dec(z)
        rec = -F.binary_cross_entropy_with_logits(logits, x.expand_as(logits), reduction="none").sum(-1)
        prior = z.square().mul(-0.5).sub_(0.5 * math.log(2 * math.pi)).sum(-1)
        logw = rec + prior
        logw -= q.log_prob(z)
        iw = torch.logsumexp(logw, 0) - math.log(self.k)
        kl = q.kl_per_dim()
        self.usage.push(kl)
        return -iw.mean(), gamma * (kl.sum(-1).mean() - capacity).abs()


def capacity_schedule(final: float, steps: int) -> Generator[float, None, None]:
    t = 0
    while True:
        yield final * min(1.0, t / steps)
        t += 1


def train(vae: VAE, data: Tensor, lr: float = 1e-3) -> int:
    opt = torch.optim.Adamax(vae.parameters(), lr)
    for x, c in zip(data, capacity_schedule(5.0, 10)):
        nll, reg = vae.bound(x, c, gamma=0.1)
        opt.zero_grad()
        (nll + reg).backward()
        opt.step()
    return vae.usage.active()


# --- driver ---
torch.manual_seed(67)
train(VAE(), torch.empty(2, 6, 10).bernoulli_(0.4))
