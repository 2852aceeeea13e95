"""PINN for the 1-D heat equation with adaptive collocation points and loss weights."""
import math

import torch
import torch.nn as nn


class Scaler(nn.Module):
    def __init__(self, lo, hi):
        super().__init__()
        self.register_buffer('lo', torch.tensor(lo))
        self.register_buffer('hi', torch.tensor(hi))

    def forward(self, x):
        y = (x - self.lo)
        y *= 2.0 / (self.hi - self.lo)
        y -= 1.0
        return y


class HeatNet(nn.Module):
    def __init__(self, width=20, depth=3):
        super().__init__()
        self.scale = Scaler([0.0, 0.0], [1.0, 0.5])
        dims = [2] + [width] * depth + [1]
        self.layers = nn.ModuleList([nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:])])
        for l in self.layers:
            nn.init.xavier_normal_(l.weight)
            nn.init.zeros_(l.bias)

    def forward(self, xt):
        h = self.scale(xt)
        for l in self.layers[:-1]:
            h = torch.tanh(l(h))
        x = xt[:, :1]
        return x * (1 - x) * self.layers[-1](h)


def grad(y, x):
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]


def pde_residual(net, xt, kappa):
    u = net(xt)
    g = grad(u, xt)
    u_xx = grad(g[:, 0], xt)[:, :1]
    return g[:, 1:] - kappa * u_xx


class CollocationPool:
    """Keeps a pool of points and resamples the ones with the smallest residual."""

    def __init__(self, n, t_max=0.5):
        self.n, self.t_max = n, t_max
        self.points = self._draw(n)

    def _draw(self, n):
        p = torch.rand(n, 2)
        p[:, 1] *= self.t_max
        return p

    def batch(self):
        return self.points.clone().requires_grad_()

    def refresh(self, residual, frac=0.25):
        k = int(frac * self.n)
        worst = residual.detach().abs().squeeze(1).topk(k, largest=False).indices
        self.points[worst] = self._draw(k)


class Balancer:
    """Moving-average weights from gradient magnitudes."""

    def __init__(self, names, alpha=0.9):
        self.alpha = alpha
        self.w = {n: torch.ones(()) for n in names}

    def update(self, net, losses, ref):
        params = list(net.parameters())
        mags = {}
        for n, l in losses.items():
            gs = torch.autograd.grad(l, params, retain_graph=True, allow_unused=True)
            mags[n] = torch.stack([g.abs().mean() for g in gs if g is not None]).mean()
        for n in losses:
            if n != ref:
                self.w[n].mul_(self.alpha).add_((1 - self.alpha) * mags[ref] / (mags[n] + 1e-8))

    def __call__(self, losses):
        return sum(self.w[n].clone() * l for n, l in losses.items())


def train(net, steps, kappa=0.1, n=48):
    pool, bal = CollocationPool(n), Balancer(['pde', 'ic'])
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for step in range(steps):
        res = pde_residual(net, pool.batch(), kappa)
        x0 = torch.rand(n, 1)
        ic = net(torch.cat([x0, torch.zeros_like(x0)], 1)) - torch.sin(math.pi * x0)
        losses = {'pde': res.pow(2).mean(), 'ic': ic.pow(2).mean()}
        bal.update(net, losses, ref='pde')
        opt.zero_grad()
        bal(losses).backward()
        opt.step()
        pool.refresh(res)
    return {k: v.item() for k, v in losses.items()}


# --- driver ---
print(train(HeatNet(), steps=2))
