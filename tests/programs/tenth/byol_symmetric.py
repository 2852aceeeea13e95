"""Bootstrap your own latent, with a symmetric loss and a cosine schedule for the target momentum."""
import copy
import math
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(din, dhid, dout):
    return nn.Sequential(nn.Linear(din, dhid), nn.BatchNorm1d(dhid), nn.ReLU(inplace=True), nn.Linear(dhid, dout))


class Branch(nn.Module):
    def __init__(self, width=24, dim=16):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 4, stride=4), nn.ReLU(inplace=True))
        self.projector = mlp(width, 2 * width, dim)

    def forward(self, x):
        return self.projector(self.stem(x).mean((-2, -1)))


class TargetNetwork:
    """Slow copy of a network; never part of a graph."""

    def __init__(self, online, base_tau=0.98):
        self.online = online
        self.net = copy.deepcopy(online).requires_grad_(False)
        self.base_tau = self.tau = base_tau

    def anneal(self, progress):
        self.tau = 1 - (1 - self.base_tau) * (math.cos(math.pi * progress) + 1) / 2

    @torch.no_grad()
    def track(self):
        torch._foreach_lerp_(list(self.net.parameters()), list(self.online.parameters()), 1 - self.tau)
        for mine, theirs in zip(self.net.buffers(), self.online.buffers()):
            mine.copy_(theirs)

    @torch.no_grad()
    def __call__(self, x):
        z = self.net(x)
        z.div_(z.norm(dim=-1, keepdim=True).clamp_min_(1e-8))
        return z


class BYOL(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.online = Branch(dim=dim)
        self.predictor = mlp(dim, 32, dim)
        self.target = TargetNetwork(self.online)

    def regress(self, x, goal):
        p = F.normalize(self.predictor(self.online(x)), dim=-1)
        return 2 - 2 * (p * goal).sum(-1).mean()

    def forward(self, a, b):
        self.target.track()
        loss = self.regress(a, self.target(b))
        loss += self.regress(b, self.target(a))
        return loss


@contextmanager
def optimisation_step(opt):
    opt.zero_grad(set_to_none=True)
    yield
    nn.utils.clip_grad_norm_([p for g in opt.param_groups for p in g["params"]], 1.0)
    opt.step()


def two_views(n, gen):
    base = torch.rand(n, 3, 16, 16, generator=gen)
    views = []
    for _ in range(2):
        v = base.clone()
        y, x = torch.randint(0, 8, (2,), generator=gen).tolist()
        v[:, :, y:y + 8, x:x + 8] = 0.5
        views.append(v.add_(torch.randn(v.shape, generator=gen), alpha=0.02))
    return views


# --- driver ---
torch.manual_seed(2)
gen = torch.Generator().manual_seed(2)
byol = BYOL()
opt = torch.optim.Adam(byol.parameters(), lr=1e-3)
for step in range(4):
    byol.target.anneal(step / 4)
    with optimisation_step(opt):
        byol(*two_views(12, gen)).backward()
