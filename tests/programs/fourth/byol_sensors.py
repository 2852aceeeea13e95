import copy
import math
from functools import wraps

import torch
import torch.nn as nn
import torch.nn.functional as F


def view(fn):
    """Augmentations receive their own copy and may write on it."""
    @wraps(fn)
    def inner(x, *a, **k):
        return fn(x.clone(), *a, **k)
    return inner


@view
def jitter_scale(x, sigma=0.1):
    x *= torch.empty(len(x), x.shape[1], 1).normal_(1.0, sigma)
    x += torch.randn_like(x) * sigma
    return x


@view
def crop_mask(x, frac=0.25):
    n = x.shape[-1]
    w = max(1, int(n * frac))
    for row in x:
        s = int(torch.randint(0, n - w + 1, ()))
        row[:, s:s + w] = 0
    return x


@view
def channel_drop(x, p=0.2):
    gone = torch.rand(x.shape[:2]) < p
    x[gone] = 0
    return x.flip(-1) if torch.rand(()) < 0.5 else x


class Encoder(nn.Module):
    def __init__(self, ch, dim):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv1d(ch, dim, 5, 2, 2), nn.BatchNorm1d(dim)
        self.conv2, self.bn2 = nn.Conv1d(dim, dim, 3, 2, 1), nn.BatchNorm1d(dim)

    def forward(self, x):
        h = F.relu(self.bn1(self.conv1(x)), inplace=True)
        h = F.relu(self.bn2(self.conv2(h)), inplace=True)
        return h.mean(-1)


def mlp(i, h, o):
    return nn.Sequential(nn.Linear(i, h), nn.BatchNorm1d(h), nn.ReLU(inplace=True), nn.Linear(h, o))


class BYOL(nn.Module):
    def __init__(self, ch=3, dim=8, proj=6, tau=0.98):
        super().__init__()
        self.online = nn.Sequential(Encoder(ch, dim), mlp(dim, 2 * dim, proj))
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.predictor = mlp(proj, 2 * proj, proj)
        self.tau0 = tau
        self.register_buffer("center", torch.zeros(proj))
        self.register_buffer("bank", F.normalize(torch.randn(16, proj), dim=1))
        self.ptr = 0

    @torch.no_grad()
    def momentum(self, progress):
        tau = 1 - (1 - self.tau0) * (math.cos(math.pi * progress) + 1) / 2
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.mul_(tau).add_(o, alpha=1 - tau)
        for t, o in zip(self.target.buffers(), self.online.buffers()):
            t.copy_(o)

    @torch.no_grad()
    def remember(self, z):
        idx = (torch.arange(len(z)) + self.ptr) % len(self.bank)
        self.bank[idx] = z
        self.ptr = (self.ptr + len(z)) % len(self.bank)
        self.center.lerp_(z.mean(0), 0.1)

    @torch.no_grad()
    def neighbours(self, z):
        sim = z @ self.bank.t()
        sim[:, self.ptr:self.ptr + 1] = -1
        return self.bank[sim.argmax(1)]

    def forward(self, a, b):
        pa, pb = (F.normalize(self.predictor(self.online(v)), dim=1) for v in (a, b))
        with torch.no_grad():
            ta, tb = (self.target(v).sub_(self.center) for v in (a, b))
            ta, tb = F.normalize(ta, dim=1), F.normalize(tb, dim=1)
            na = self.neighbours(ta)
        loss = 4 - 2 * (pa * tb).sum(1) - 2 * (pb * ta).sum(1)
        loss += 0.5 * (1 - (pb * na).sum(1))
        self.remember(ta)
        return loss.mean()


def lars_scale(params, eta=1e-2):
    for p in params:
        if p.grad is None or p.dim() < 2:
            continue
        p.grad.mul_(eta * p.detach().norm() / p.grad.norm().add_(1e-8))


def pretrain(model, batches, lr=0.2):
    params = [p for p in model.parameters() if p.requires_grad]
    opt = torch.optim.SGD(params, lr, momentum=0.9)
    for step, x in enumerate(batches):
        loss = model(crop_mask(jitter_scale(x)), channel_drop(jitter_scale(x)))
        opt.zero_grad()
        loss.backward()
        lars_scale(params)
        opt.step()
        model.momentum(step / len(batches))
    return loss.item()


# --- driver ---
torch.manual_seed(0)
pretrain(BYOL(), [torch.randn(5, 3, 24) for _ in range(2)])
