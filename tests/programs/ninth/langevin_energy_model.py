import random

import torch
import torch.nn as nn


class ReplayChains:
    def __init__(self, size, shape, fresh=0.1):
        self.x = torch.empty(size, *shape).uniform_(-1, 1)
        self.hits = torch.zeros(size, dtype=torch.long)
        self.fresh = fresh

    def draw(self, n):
        idx = torch.randperm(len(self.x))[:n]
        x = self.x[idx]
        new = torch.rand(n) < self.fresh
        x[new] = torch.empty_like(x[new]).uniform_(-1, 1)
        return idx, x

    def put(self, idx, x):
        self.x[idx] = x
        self.hits.index_add_(0, idx, torch.ones_like(idx))


class Energy(nn.Module):
    def __init__(self, d, h=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, h), nn.SiLU(), nn.Linear(h, h), nn.SiLU(), nn.Linear(h, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def frozen(fn):
    def wrapper(self, *a, **k):
        flags = [p.requires_grad for p in self.energy.parameters()]
        for p in self.energy.parameters():
            p.requires_grad_(False)
        try:
            return fn(self, *a, **k)
        finally:
            for p, f in zip(self.energy.parameters(), flags):
                p.requires_grad_(f)
    return wrapper


class EBMTrainer:
    def __init__(self, energy, d, steps=4, step_size=0.1, noise=0.01):
        self.energy = energy
        self.chains = ReplayChains(32, (d,))
        self.steps, self.eta, self.noise = steps, step_size, noise
        self.opt = torch.optim.Adam(energy.parameters(), lr=1e-3, betas=(0.0, 0.999))

    @frozen
    def langevin(self, x):
        x = x.clone().requires_grad_(True)
        buf = torch.empty_like(x)
        for _ in range(self.steps):
            g, = torch.autograd.grad(self.energy(x).sum(), x)
            with torch.no_grad():
                g.clamp_(-0.5, 0.5)
                x.add_(g, alpha=-self.eta).add_(buf.normal_(0, self.noise))
                x.clamp_(-1.5, 1.5)
        return x.detach()

    @torch.no_grad()
    def mala_accept(self, old, new):
        log_a = (self.energy(old) - self.energy(new)).clamp_(max=0)
        take = torch.rand_like(log_a).log_() < log_a
        out = old.clone()
        out[take] = new[take]
        return out, take.float().mean().item()

    def step(self, real):
        idx, start = self.chains.draw(len(real))
        fake, rate = self.mala_accept(start, self.langevin(start))
        self.chains.put(idx, fake)
        real = real + torch.randn_like(real).mul_(0.005)
        er, ef = self.energy(real), self.energy(fake)
        loss = er.mean() - ef.mean() + 0.1 * (er.pow(2) + ef.pow(2)).mean()
        self.opt.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.energy.parameters(), 0.1)
        self.opt.step()
        return loss.item(), rate, norm.item()


def two_moons(n, rng):
    pts = torch.empty(n, 2)
    for i in range(n):
        t = torch.tensor(rng.random() * 3.1416)
        pts[i, 0], pts[i, 1] = t.cos(), t.sin()
        if i % 2:
            pts[i].neg_().add_(torch.tensor([1.0, 0.5]))
    return pts.sub_(0.25).div_(1.5)


# --- driver ---
torch.manual_seed(26)
rng = random.Random(0)
trainer = EBMTrainer(Energy(2), 2)
for _ in range(2):
    print(trainer.step(two_moons(8, rng)))
