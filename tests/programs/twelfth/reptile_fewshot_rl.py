"""Reptile for dynamics models of a family of pendulums: inner SGD on a clone, outer interpolation in place."""
import copy
import torch
from torch import nn


class Pendulum:
    def __init__(self, length, mass, dt=0.05, g=9.8):
        self.l, self.m, self.dt, self.g = length, mass, dt, g

    def step(self, s, u):
        out = s.clone()
        acc = -self.g / self.l * torch.sin(s[:, 0]) + u[:, 0] / (self.m * self.l**2)
        out[:, 1].add_(acc, alpha=self.dt)
        out[:, 0].add_(out[:, 1], alpha=self.dt)
        return out

    def dataset(self, n):
        s = torch.randn(n, 2)
        u = torch.rand(n, 1).mul_(2).sub_(1)
        return s, u, self.step(s, u)


class DynamicsNet(nn.Module):
    def __init__(self, hid=24):
        super().__init__()
        self.enc = nn.Linear(4, hid)
        self.mid = nn.Linear(hid, hid)
        self.out = nn.Linear(hid, 2)

    def forward(self, s, u):
        x = torch.cat([s[:, :1].sin(), s[:, :1].cos(), s[:, 1:], u], 1)
        x = torch.tanh(self.enc(x))
        x = torch.tanh(self.mid(x))
        delta = self.out(x)
        delta *= 0.1
        return s + delta


def inner_loop(net, data, steps, lr):
    opt = torch.optim.SGD(net.parameters(), lr)
    s, u, nxt = data
    for _ in range(steps):
        idx = torch.randint(0, len(s), (16,))
        loss = nn.functional.smooth_l1_loss(net(s[idx], u[idx]), nxt[idx])
        opt.zero_grad()
        loss.backward()
        with torch.no_grad():
            for p in net.parameters():
                p.grad.add_(p, alpha=1e-4)
        opt.step()
    return loss.item()


@torch.no_grad()
def interpolate_(slow, fast, eps):
    for p, q in zip(slow.parameters(), fast.parameters()):
        p.add_(q - p, alpha=eps)


@torch.no_grad()
def horizon_error(net, env, horizon=5):
    s, _, _ = env.dataset(8)
    true = s.clone()
    err = torch.zeros(horizon)
    for h in range(horizon):
        u = torch.rand(8, 1) * 2 - 1
        s, true = net(s, u), env.step(true, u)
        err[h] = (s - true).norm(dim=1).mean()
    return err.tolist()


def reptile(outer=4, inner=5, eps0=0.5):
    slow = DynamicsNet()
    for it in range(outer):
        env = Pendulum(0.5 + torch.rand(()).item(), 0.5 + torch.rand(()).item())
        fast = copy.deepcopy(slow)
        last = inner_loop(fast, env.dataset(64), inner, 0.05)
        interpolate_(slow, fast, eps0 * (1 - it / outer))
        print(it, round(last, 4), [round(e, 3) for e in horizon_error(slow, env)])
    return slow


# --- driver ---
torch.manual_seed(25)
reptile()
