import copy
import math

import torch
from torch import nn
import torch.nn.functional as F


class FeatureBank:
    def __init__(self, size, dim):
        self.feats = F.normalize(torch.randn(size, dim), dim=1)
        self.labels = torch.full((size,), -1)
        self.head = 0

    def snapshot(self):
        return self.feats.clone()

    def push(self, feats, labels):
        n = feats.shape[0]
        idx = torch.arange(self.head, self.head + n).remainder_(len(self.feats))
        self.feats[idx] = feats.detach()
        self.labels[idx] = labels
        self.head = (self.head + n) % len(self.feats)


class KNNProbe:
    def __init__(self, bank, n_cls, k=3, T=0.1):
        self.bank, self.n_cls, self.k, self.T = bank, n_cls, k, T

    @torch.no_grad()
    def __call__(self, feats):
        sim = feats @ self.bank.feats.t()
        sim.masked_fill_(self.bank.labels.lt(0), -1)
        w, idx = sim.topk(self.k, dim=1)
        w.div_(self.T).exp_()
        votes = torch.zeros(len(feats), self.n_cls)
        votes.scatter_add_(1, self.bank.labels[idx].clamp_(min=0), w)
        return votes.argmax(1)


class Net(nn.Module):
    def __init__(self, d_in, d):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d_in, 16), nn.BatchNorm1d(16), nn.ReLU(inplace=True), nn.Linear(16, d))

    def forward(self, x):
        return F.normalize(self.body(x), dim=1)


class NNCLR(nn.Module):
    def __init__(self, d_in, d, bank_size, tau=0.99, T=0.1):
        super().__init__()
        self.online = Net(d_in, d)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.bank = FeatureBank(bank_size, d)
        self.tau, self.T = tau, T

    def set_tau(self, step, total):
        self.tau = 1 - (1 - 0.99) * (math.cos(math.pi * step / total) + 1) / 2

    @torch.no_grad()
    def track(self):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.mul_(self.tau).add_(o, alpha=1 - self.tau)

    def forward(self, a, b, y):
        q = self.online(a)
        with torch.no_grad():
            k = self.target(b)
        negatives = self.bank.snapshot()
        pos = (q * k).sum(1, keepdim=True)
        neg = q @ negatives.t()
        self.bank.push(k, y)
        logits = torch.cat([pos, neg], 1)
        logits /= self.T
        return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


def jitter(x):
    noise = torch.empty_like(x).normal_(std=0.1)
    return noise.add_(x)


# --- driver ---
torch.manual_seed(0)
model = NNCLR(6, 4, 12)
opt = torch.optim.SGD(model.online.parameters(), lr=0.1)
for step in range(2):
    x, y = torch.randn(5, 6), torch.randint(0, 3, (5,))
    model.set_tau(step, 2)
    opt.zero_grad()
    model(jitter(x), jitter(x), y).backward()
    opt.step()
    model.track()
KNNProbe(model.bank, 3)(model.online(x))
