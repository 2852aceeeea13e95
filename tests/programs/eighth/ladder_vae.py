import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class FreeBits:
    def __init__(self, per_dim=0.05):
        self.per_dim = per_dim

    def __call__(self, kl):
        return kl.mean(0).clamp(min=self.per_dim).sum()


class BetaSchedule:
    def __init__(self, warm, cycles=2):
        self.table = torch.ones(warm * cycles)
        for c in range(cycles):
            self.table[c * warm:c * warm + warm // 2] = torch.linspace(0, 1, warm // 2)
        self.i = 0

    def __next__(self):
        v = self.table[min(self.i, len(self.table) - 1)].item()
        self.i += 1
        return v


def reparameterise(mu, logvar):
    std = logvar.mul(0.5).exp_()
    return torch.empty_like(std).normal_().mul_(std).add_(mu)


def gaussian_kl(mu_q, lv_q, mu_p, lv_p):
    diff = (mu_q - mu_p).pow(2) + lv_q.exp()
    out = diff / lv_p.exp()
    out += lv_p
    out -= lv_q
    return out.sub_(1).mul_(0.5)


class Rung(nn.Module):
    def __init__(self, n_in, hid, z):
        super().__init__()
        self.up = nn.Linear(n_in, hid)
        self.bn = nn.BatchNorm1d(hid)
        self.stats = nn.Linear(hid, 2 * z)

    def forward(self, x):
        h = F.leaky_relu(self.bn(self.up(x)), 0.1, inplace=True)
        mu, lv = self.stats(h).chunk(2, 1)
        return h, mu, lv.clamp(-6, 4)


class LadderVAE(nn.Module):
    def __init__(self, n_in=16, hids=(12, 8), zs=(4, 2)):
        super().__init__()
        dims = [n_in, *hids]
        self.rungs = nn.ModuleList(Rung(a, b, z) for a, b, z in zip(dims, hids, zs))
        self.prior = nn.Linear(zs[1], 2 * zs[0])
        self.dec = nn.Sequential(nn.Linear(zs[0], hids[0]), nn.ELU(inplace=True), nn.Linear(hids[0], n_in))
        self.free_bits = FreeBits()

    @staticmethod
    def merge(mu_a, lv_a, mu_b, lv_b):
        pa, pb = (-lv_a).exp(), (-lv_b).exp()
        total = pa + pb
        mu = (mu_a * pa + mu_b * pb) / total
        return mu, total.log().neg_()

    def forward(self, x):
        h1, mu1, lv1 = self.rungs[0](x)
        _, mu2, lv2 = self.rungs[1](h1)
        z2 = reparameterise(mu2, lv2)
        pmu, plv = self.prior(z2).chunk(2, 1)
        qmu, qlv = self.merge(mu1, lv1, pmu, plv)
        z1 = reparameterise(qmu, qlv)
        zeros = torch.zeros_like(mu2)
        kl = self.free_bits(gaussian_kl(mu2, lv2, zeros, zeros))
        kl += self.free_bits(gaussian_kl(qmu, qlv, pmu, plv))
        return self.dec(z1), kl

    @torch.no_grad()
    def importance_bound(self, x, k=4):
        acc = torch.empty(k, x.size(0))
        for i in range(k):
            logits, kl = self(x)
            acc[i] = -F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
            acc[i].sub_(kl)
        top = acc.amax(0)
        return acc.sub_(top).exp_().mean(0).log_().add_(top).mean().item()


class BarsAndStripes:
    def __init__(self, side=4, seed=0):
        self.side, self.rng = side, np.random.default_rng(seed)

    def batch(self, n):
        img = np.zeros((n, self.side, self.side), dtype=np.float32)
        for i in range(n):
            on = self.rng.uniform(size=self.side) < 0.5
            if self.rng.uniform() < 0.5:
                img[i][on] = 1.0
            else:
                img[i][:, on] = 1.0
        flips = self.rng.uniform(size=img.shape) < 0.02
        img[flips] = 1 - img[flips]
        return torch.from_numpy(img).flatten(1)


def train(model, data, steps, batch=8, lr=2e-3):
    opt, beta = torch.optim.Adam(model.parameters(), lr=lr), BetaSchedule(4)
    for _ in range(steps):
        x = data.batch(batch)
        logits, kl = model(x)
        nll = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1).mean()
        loss = nll + next(beta) * kl
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
    return loss.item() / math.log(2)


# --- driver ---
torch.manual_seed(0)
vae, bars = LadderVAE(), BarsAndStripes()
train(vae, bars, 4)
vae.eval().importance_bound(bars.batch(4))
