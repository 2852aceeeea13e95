"""Energy based model with a persistent chain buffer, Langevin sampling, bounded weights."""
import random
import torch
import torch.nn as nn

DIM = 2
HIDDEN = 24
BUFFER = 64
STEP = 0.1
NOISE = 0.01
ALPHA = 0.1
BOUND = 0.05


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(DIM, HIDDEN), nn.SiLU(), nn.Linear(HIDDEN, HIDDEN), nn.SiLU(),
                               nn.Linear(HIDDEN, 1))

    def forward(self, x):
        return self.f(x).squeeze(-1)


class Buffer:
    def __init__(self, n):
        self.x = torch.rand(n, DIM) * 2 - 1

    def sample(self, n, reinit=0.05):
        self.ix = torch.randint(0, len(self.x), (n,))
        x = self.x[self.ix]
        fresh = torch.rand(n) < reinit
        x[fresh] = torch.rand(int(fresh.sum()), DIM) * 2 - 1
        return x

    def push(self, x):
        self.x[self.ix] = x


def langevin(model, x, steps):
    x = x.clone().requires_grad_(True)
    for _ in range(steps):
        g = torch.autograd.grad(model(x).sum(), x)[0]
        with torch.no_grad():
            x.add_(g.clamp_(-1, 1), alpha=-STEP)
            x.add_(torch.randn_like(x), alpha=NOISE)
    return x.detach()


def project(model, bound):
    for p in model.parameters():
        if p.dim() > 1:
            p.data.clamp_(-bound, bound)  # BUG silent


def loss_fn(model, pos, neg):
    ep, en = model(pos), model(neg)
    return (ep - en).mean() + ALPHA * (ep.pow(2) + en.pow(2)).mean()


def two_moons(n):
    t = torch.rand(n) * 3.14159
    top = torch.rand(n) < 0.5
    x = torch.stack([t.cos(), t.sin()], 1)
    x[top, 0] = 1 - x[top, 0]
    x[top, 1] = 0.5 - x[top, 1]
    return x.add_(torch.randn(n, 2) * 0.05)


def train(model, iters, bs=16):
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    buf = Buffer(BUFFER)
    for i in range(iters):
        neg = langevin(model, buf.sample(bs), 5)
        buf.push(neg)
        loss = loss_fn(model, two_moons(bs), neg)
        project(model, BOUND)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return model


# --- driver ---
torch.manual_seed(0)
random.seed(0)
train(Energy(), 1)
