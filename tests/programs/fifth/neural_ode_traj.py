"""Neural ODE regression on pendulum trajectories; trajectories are written into one tensor."""
import math
import torch
import torch.nn as nn

STEPS = 6
DT = 0.1


class VectorField(nn.Module):
    def __init__(self, d=2, h=16):
        super().__init__()
        self.a, self.b = nn.Linear(d, h), nn.Linear(h, d)
        self.damp = nn.Parameter(torch.tensor(0.1))

    def forward(self, y):
        h = self.a(y)
        h.tanh_()
        dy = self.b(h)
        dy -= self.damp * y
        return dy


def heun(f, y0, n, dt):
    traj = torch.empty(y0.size(0), n + 1, y0.size(1))
    traj[:, 0] = y0
    y = y0
    for i in range(n):
        k1 = f(y)
        k2 = f(y + dt * k1)
        step = k1 + k2
        step *= dt / 2
        y = y + step
        traj[:, i + 1] = y
    return traj


def pendulum(n):
    out = torch.zeros(n, STEPS + 1, 2)
    out[:, 0].uniform_(-1, 1)
    sub = 10
    for i in range(STEPS):
        th, om = out[:, i, 0].clone(), out[:, i, 1].clone()
        for _ in range(sub):
            om -= math.pi * torch.sin(th) * DT / sub
            th += om * DT / sub
        out[:, i + 1, 0], out[:, i + 1, 1] = th, om
    return out


class RunningAverageMeter:
    def __init__(self, m=0.9):
        self.m, self.avg = m, torch.zeros(())

    def update(self, v):
        self.avg.mul_(self.m).add_(v, alpha=1 - self.m)


def loss_fn(pred, true):
    err = pred - true
    w = torch.ones(pred.size(1))
    w[0] = 0
    w[1:] /= w[1:].sum()
    sq = err * err
    sq *= w[None, :, None]
    return sq.sum((1, 2)).mean()


def train(iters, n=8, lr=1e-2):
    f, meter = VectorField(), RunningAverageMeter()
    opt = torch.optim.RMSprop(f.parameters(), lr=lr)
    for _ in range(iters):
        true = pendulum(n)
        noisy = true.clone()
        noisy[:, 1:].add_(torch.randn_like(noisy[:, 1:]).mul_(0.01))
        loss = loss_fn(heun(f, noisy[:, 0], STEPS, DT), noisy)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            f.damp.clamp_(min=0)
        meter.update(loss.detach())
    return f, meter


# --- driver ---
torch.manual_seed(0)
train(2)
