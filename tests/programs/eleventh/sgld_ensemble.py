"""Cyclical stochastic-gradient Langevin dynamics with RMS preconditioning; snapshots make a predictive ensemble."""
import copy
import math

import torch
from torch import nn
from torch.optim import Optimizer


class PSGLD(Optimizer):
    def __init__(self, params, lr=1e-3, alpha=0.98, eps=1e-5, prior=1.0, n_data=1):
        super().__init__(params, dict(lr=lr, alpha=alpha, eps=eps, prior=prior, n_data=n_data))

    @torch.no_grad()
    def step(self, closure=None, noisy=True):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None:
                    continue
                st = self.state[p]
                if not st:
                    st["v"] = torch.ones_like(p)
                st["v"].mul_(g["alpha"]).addcmul_(p.grad, p.grad, value=1 - g["alpha"])
                precond = st["v"].sqrt().add_(g["eps"]).reciprocal_()
                drift = p.grad.add(p, alpha=1.0 / (g["prior"] ** 2 * g["n_data"]))
                p.addcmul_(precond, drift, value=-g["lr"])
                if noisy:
                    noise = torch.randn_like(p).mul_(precond.sqrt_())
                    p.add_(noise, alpha=math.sqrt(2 * g["lr"] / g["n_data"]))
        return loss


class CyclicSchedule:
    def __init__(self, opt, base, cycle, explore=0.5):
        self.opt, self.base, self.cycle, self.explore = opt, base, cycle, explore
        self.k = 0

    @property
    def phase(self):
        return (self.k % self.cycle) / self.cycle

    @property
    def sampling(self):
        return self.phase >= self.explore

    def advance(self):
        lr = 0.5 * self.base * (math.cos(math.pi * self.phase) + 1)
        for g in self.opt.param_groups:
            g["lr"] = lr + 1e-6
        self.k += 1


class Ensemble:
    def __init__(self, limit=5):
        self.members, self.limit = [], limit

    def add(self, net):
        self.members.append(copy.deepcopy(net).requires_grad_(False))
        del self.members[: -self.limit]

    @torch.no_grad()
    def predict(self, x):
        total = torch.zeros(x.shape[0], 2)
        for m in self.members:
            total += m(x).softmax(-1)
        return total.div_(len(self.members))


def two_moons(n):
    a = torch.rand(n) * math.pi
    side = torch.randint(0, 2, (n,))
    sign = 1 - 2.0 * side
    pts = torch.stack([torch.cos(a) * sign + side, torch.sin(a) * sign + 0.5 * side], 1)
    return pts + 0.1 * torch.randn_like(pts), side


def sample_posterior(net, x, y, steps, batch=32):
    opt = PSGLD(net.parameters(), lr=1e-2, n_data=len(x))
    sched, ens = CyclicSchedule(opt, 1e-2, cycle=10), Ensemble()
    for _ in range(steps):
        sched.advance()
        idx = torch.randint(0, len(x), (batch,))
        opt.zero_grad()
        nn.functional.cross_entropy(net(x[idx]), y[idx]).backward()
        opt.step(noisy=sched.sampling)
        if sched.sampling:
            ens.add(net)
    return ens


# --- driver ---
torch.manual_seed(0)
x, y = two_moons(100)
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(inplace=True), nn.Linear(16, 2))
ens = sample_posterior(net, x, y, steps=20)
print((ens.predict(x).argmax(1) == y).float().mean())
