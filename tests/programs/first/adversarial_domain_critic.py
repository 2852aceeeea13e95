"""Wasserstein domain adaptation: feature extractor, classifier and a clipped critic."""
from itertools import cycle

import torch
import torch.nn as nn
import torch.nn.functional as F


class FeatureExtractor(nn.Module):
    def __init__(self, d_in, dim=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, 32), nn.BatchNorm1d(32), nn.ReLU(inplace=True),
                                 nn.Linear(32, dim), nn.ReLU(inplace=True))

    def forward(self, x):
        return self.net(x)


class DomainCritic(nn.Module):
    def __init__(self, dim=16, clip=0.05):
        super().__init__()
        self.clip = clip
        self.net = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(inplace=True), nn.Linear(32, 1))

    def forward(self, f):
        return self.net(f).squeeze(1)

    def clip_(self):
        for p in self.parameters():
            p.data.clamp_(-self.clip, self.clip)

    def distance(self, fs, ft):
        return self(fs).mean() - self(ft).mean()


class Toggle:
    """Freezes a module inside a with-block."""

    def __init__(self, module):
        self.module = module

    def __enter__(self):
        self.module.requires_grad_(False)

    def __exit__(self, *exc):
        self.module.requires_grad_(True)
        return False


class WDAdapter:
    def __init__(self, d_in, n_classes, lam=0.1, k_critic=3, lr=1e-3):
        self.feat, self.clf, self.critic = FeatureExtractor(d_in), nn.Linear(16, n_classes), DomainCritic()
        self.opt_main = torch.optim.Adam([*self.feat.parameters(), *self.clf.parameters()], lr=lr)
        self.opt_critic = torch.optim.RMSprop(self.critic.parameters(), lr=lr)
        self.lam, self.k = lam, k_critic
        self.running = torch.zeros(2)

    def fit_critic(self, xs, xt):
        with torch.no_grad():
            fs, ft = self.feat(xs), self.feat(xt)
        for _ in range(self.k):
            loss = -self.critic.distance(fs, ft)
            self.opt_critic.zero_grad()
            loss.backward()
            self.opt_critic.step()
            self.critic.clip_()

    def fit_main(self, xs, ys, xt):
        fs, ft = self.feat(xs), self.feat(xt)
        cls = F.cross_entropy(self.clf(fs), ys)
        with Toggle(self.critic):
            wd = self.critic.distance(fs, ft)
        loss = cls + self.lam * wd
        self.opt_main.zero_grad()
        loss.backward()
        self.opt_main.step()
        self.running.mul_(0.9).add_(torch.stack([cls.detach(), wd.detach()]), alpha=0.1)

    def fit(self, source, target, steps):
        target = cycle(target)
        for _, (xs, ys), xt in zip(range(steps), source, target):
            self.fit_critic(xs, xt)
            self.fit_main(xs, ys, xt)
        return self.running.tolist()


def shifted(n, d, shift=0.0):
    x = torch.randn(n, d)
    x[:, : d // 2] += shift
    return x


def labels_for(x):
    return (x.sum(1) > 0).long()


# --- driver ---
src = [(x, labels_for(x)) for x in (shifted(16, 6) for _ in range(3))]
tgt = [shifted(16, 6, 1.5) for _ in range(2)]
print(WDAdapter(6, 2).fit(src, tgt, steps=3))
