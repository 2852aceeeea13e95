import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def pairwise_sq(a, b):
    d = a.pow(2).sum(1, keepdim=True) + b.pow(2).sum(1)
    d -= 2 * a @ b.t()
    return d.clamp_(min=0)


@torch.no_grad()
def sinkhorn_plan(cost, eps=0.1, iters=20):
    kernel = cost.div(-eps * cost.mean()).exp_()
    u = torch.full((cost.shape[0],), 1 / cost.shape[0])
    v = torch.ones(cost.shape[1])
    for _ in range(iters):
        v.copy_(1 / cost.shape[1] / (kernel.t() @ u).clamp_(min=1e-9))
        u.copy_(1 / cost.shape[0] / (kernel @ v).clamp_(min=1e-9))
    return kernel.mul_(u[:, None]).mul_(v)


def wasserstein(h, t):
    a, b = h[t > 0.5], h[t <= 0.5]
    if not len(a) or not len(b):
        return h.new_zeros(())
    cost = pairwise_sq(a, b)
    return (sinkhorn_plan(cost.detach()) * cost).sum()


class Representation(nn.Module):
    def __init__(self, d, width, norm=True):
        super().__init__()
        self.fc = nn.ModuleList([nn.Linear(d, width), nn.Linear(width, width)])
        self.norm = norm

    def forward(self, x):
        for fc in self.fc:
            x = F.elu_(fc(x))
        return F.normalize(x, dim=1) if self.norm else x


class CFR(nn.Module):
    def __init__(self, d, width=12):
        super().__init__()
        self.rep = Representation(d, width)
        self.heads = nn.ModuleList(
            nn.Sequential(nn.Linear(width, width), nn.ReLU(inplace=True), nn.Linear(width, 1)) for _ in range(2))

    def forward(self, x, t):
        h = self.rep(x)
        y = h.new_empty(len(x))
        for arm, head in enumerate(self.heads):
            rows = (t == arm).nonzero().squeeze(1)
            y[rows] = head(h[rows]).squeeze(1)
        return y, h

    @torch.no_grad()
    def effect(self, x):
        return (self.heads[1](self.rep(x)) - self.heads[0](self.rep(x))).squeeze(1)


def sample_weights(t):
    p = t.mean()
    w = torch.empty_like(t)
    w[t == 1] = 1 / (2 * p)
    w[t == 0] = 1 / (2 * (1 - p))
    return w


def ihdp_like(n, d, gen):
    x = torch.randn(n, d, generator=gen)
    t = (torch.rand(n, generator=gen) < torch.sigmoid(x[:, 0])).float()
    t[:2] = torch.tensor([0.0, 1.0])
    y = x.sum(1).mul_(0.3)
    y += t * (1 + x[:, 1])
    y += torch.randn(n, generator=gen) * 0.1
    return x, t, y.sub_(y.mean()).div_(y.std())


def decay(params, opt, rate):
    with torch.no_grad():
        for p in params:
            if p.dim() > 1:
                p.mul_(1 - opt.param_groups[0]["lr"] * rate)


def train(args, model, data):
    x, t, y = data
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    weight = sample_weights(t)
    for _ in range(args.steps):
        pred, h = model(x, t)
        err = pred - y
        err *= weight.sqrt()
        loss = err.square().mean() + args.alpha * wasserstein(h, t)
        opt.zero_grad()
        loss.backward()
        opt.step()
        decay(model.parameters(), opt, args.decay)
    return model.effect(x).mean().item()


# --- driver ---
torch.manual_seed(0)
args = argparse.Namespace(lr=1e-2, steps=2, alpha=0.5, decay=1e-2)
train(args, CFR(5), ihdp_like(20, 5, torch.Generator().manual_seed(1)))
