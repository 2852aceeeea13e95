"""Discrete image autoencoder: relaxed assignments to a codebook that follows its usage statistics."""
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(frozen=True)
class Spec:
    codes: int = 12
    width: int = 8
    hidden: int = 16
    decay: float = 0.95
    tau_start: float = 1.0
    tau_end: float = 0.3


class Codebook(nn.Module):
    def __init__(self, spec: Spec):
        super().__init__()
        self.decay = spec.decay
        vectors = torch.randn(spec.codes, spec.width)
        self.register_buffer("vectors", vectors)
        self.register_buffer("mass", torch.ones(spec.codes))
        self.register_buffer("total", vectors.clone())

    def distances(self, z):
        return torch.cdist(z, self.vectors.clone()).square()

    def mix(self, assign):
        return assign @ self.vectors

    @torch.no_grad()
    def absorb(self, assign, z):
        hard = F.one_hot(assign.argmax(-1), len(self.vectors)).float().flatten(0, 1)
        self.mass.lerp_(hard.sum(0), 1 - self.decay)
        self.total.lerp_(hard.T @ z.flatten(0, 1), 1 - self.decay)
        smooth = (self.mass + 1e-3) / (self.mass.sum() + 1e-3 * len(self.mass)) * self.mass.sum()
        self.vectors.copy_(self.total / smooth.unsqueeze(1))  # BUG


class Quantiser(nn.Module):
    def __init__(self, spec: Spec):
        super().__init__()
        self.book = Codebook(spec)
        self.tau = spec.tau_start

    def forward(self, z):
        logits = -self.book.distances(z)
        assign = F.gumbel_softmax(logits, tau=self.tau, hard=False)
        out = self.book.mix(assign)
        if self.training:
            self.book.absorb(assign, z)
        log_q = logits.log_softmax(-1)
        kl = (log_q.exp() * (log_q + torch.tensor(len(self.book.vectors)).log())).sum(-1).mean()
        return out, kl


class DiscreteVAE(nn.Module):
    def __init__(self, spec: Spec):
        super().__init__()
        h, w = spec.hidden, spec.width
        self.enc = nn.Sequential(nn.Conv2d(1, h, 4, 2, 1), nn.ReLU(inplace=True), nn.Conv2d(h, w, 4, 2, 1))
        self.quant = Quantiser(spec)
        self.dec = nn.Sequential(nn.ConvTranspose2d(w, h, 4, 2, 1), nn.ReLU(inplace=True),
                                 nn.ConvTranspose2d(h, 1, 4, 2, 1))

    def forward(self, img):
        z = self.enc(img)
        b, c, hh, ww = z.shape
        q, kl = self.quant(z.flatten(2).transpose(1, 2))
        return self.dec(q.transpose(1, 2).reshape(b, c, hh, ww)), kl


class TauAnneal:
    def __init__(self, model: DiscreteVAE, spec: Spec, steps: int):
        self.model, self.spec, self.steps = model, spec, steps

    def __call__(self, i: int):
        frac = i / max(1, self.steps - 1)
        self.model.quant.tau = self.spec.tau_start + frac * (self.spec.tau_end - self.spec.tau_start)


def fit(model, spec, images, steps):
    opt, anneal = torch.optim.Adam(model.parameters(), 1e-3), TauAnneal(model, spec, steps)
    for i in range(steps):
        anneal(i)
        batch = images[torch.randperm(len(images))[:8]]
        recon, kl = model(batch)
        loss = F.mse_loss(recon, batch) + 1e-2 * kl
        opt.zero_grad()
        loss.backward()
        opt.step()


# --- driver ---
torch.manual_seed(16)
spec = Spec()
fit(DiscreteVAE(spec), spec, torch.rand(24, 1, 16, 16), steps=3)
