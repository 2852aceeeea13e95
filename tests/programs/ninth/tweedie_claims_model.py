"""Insurance claim frequency/severity with a Tweedie deviance."""
from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import nn


class DevianceLoss(nn.Module, ABC):
    def __init__(self, floor=1e-3, ceil=50.0):
        super().__init__()
        self.floor, self.ceil = floor, ceil

    @abstractmethod
    def unit_deviance(self, y, mu):
        ...

    def forward(self, eta, y, exposure, weight=None):
        mu = eta.exp()
        mu.clamp_(self.floor, self.ceil)  # BUG
        dev = self.unit_deviance(y, mu * exposure)
        if weight is not None:
            dev = dev * weight
        return dev.mean()


class PoissonDeviance(DevianceLoss):
    def unit_deviance(self, y, mu):
        ylogy = torch.where(y > 0, y * (y.clamp(min=1e-8) / mu).log(), torch.zeros_like(y))
        return 2 * (ylogy - y + mu)


class TweedieDeviance(DevianceLoss):
    def __init__(self, p=1.5, **kw):
        super().__init__(**kw)
        if not 1 < p < 2:
            raise ValueError(p)
        self.p = p

    def unit_deviance(self, y, mu):
        p = self.p
        return -y * mu.pow(1 - p) / (1 - p) + mu.pow(2 - p) / (2 - p)


class ClaimNet(nn.Module):
    def __init__(self, cards, n_num, emb=4, hidden=16):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, emb) for c in cards)
        self.bn = nn.BatchNorm1d(n_num)
        self.mlp = nn.Sequential(nn.Linear(emb * len(cards) + n_num, hidden), nn.ELU(), nn.Linear(hidden, 1))

    def forward(self, cat, num):
        parts = [e(cat[:, i]) for i, e in enumerate(self.embs)]
        return self.mlp(torch.cat(parts + [self.bn(num)], dim=1)).squeeze(1)


def synth(n, cards, n_num, seed):
    rng = np.random.default_rng(seed)
    cat = np.stack([rng.integers(0, c, n) for c in cards], 1)
    num = rng.normal(size=(n, n_num)).astype("float32")
    num[:, 0] *= 3.0
    y = rng.poisson(0.3, n) * rng.gamma(2.0, 1.0, n)
    expo = rng.uniform(0.1, 1.0, n)
    as_f = lambda a: torch.as_tensor(a, dtype=torch.float32)
    return torch.as_tensor(cat), as_f(num), as_f(y), as_f(expo)


def fit(model, crit, data, steps=2, lr=1e-2):
    cat, num, y, expo = data
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        loss = crit(model(cat, num), y, expo)
        loss.backward()
        opt.step()
    return float(loss)


# --- driver ---
torch.manual_seed(8)
cards = (5, 3)
net = ClaimNet(cards, 3)
print(fit(net, TweedieDeviance(p=1.6), synth(32, cards, 3, 0)))
