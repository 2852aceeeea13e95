"""PINN for viscous Burgers with self-adaptive point weights (ascent) and residual-based resampling."""
import math
import torch
from torch import nn


def gradient(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


class ScaledTanh(nn.Module):
    """Adaptive slope activation (Jagtap et al.)."""

    def __init__(self, n=4.0):
        super().__init__()
        self.n = n
        self.slope = nn.Parameter(torch.tensor(1.0 / n))

    def forward(self, x):
        return torch.tanh(self.n * self.slope * x)


class Surrogate(nn.Module):
    def __init__(self, width=20, depth=3):
        super().__init__()
        sizes = [2] + [width] * depth
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.acts = nn.ModuleList(ScaledTanh() for _ in self.layers)
        self.out = nn.Linear(width, 1)
        with torch.no_grad():
            for layer in self.layers:
                nn.init.xavier_normal_(layer.weight)
                layer.bias.zero_()

    def forward(self, tx):
        for layer, act in zip(self.layers, self.acts):
            tx = act(layer(tx))
        return self.out(tx)


def burgers_residual(net, tx, viscosity):
    tx = tx.clone().requires_grad_()
    u = net(tx)
    du = gradient(u, tx)
    u_t, u_x = du[:, :1], du[:, 1:]
    u_xx = gradient(u_x, tx)[:, 1:]
    return u_t + u * u_x - viscosity * u_xx


class Collocation:
    """Points with one weight each; weights climb where the residual stays large."""

    def __init__(self, n, rate=0.5):
        self.points = self.random(n)
        self.weights = torch.ones(n, 1, requires_grad=True)
        self.rate = rate

    @staticmethod
    def random(n):
        tx = torch.rand(n, 2)
        tx[:, 1].mul_(2).sub_(1)
        return tx

    @torch.no_grad()
    def ascend(self):
        self.weights.add_(self.weights.grad, alpha=self.rate).clamp_(0.1, 100.0)
        self.weights.div_(self.weights.mean())
        self.weights.grad = None

    def refresh(self, residual_of, share=0.2, pool=64):
        n = int(share * len(self.points))
        candidates = self.random(pool)
        score = residual_of(candidates).detach().abs().squeeze(1)
        easiest = residual_of(self.points).detach().abs().squeeze(1).topk(n, largest=False).indices
        with torch.no_grad():
            self.points[easiest] = candidates[score.topk(n).indices]
            self.weights[easiest] = 1.0


class PINN:
    def __init__(self, n=48, viscosity=0.01 / math.pi, lr=2e-3, refresh_every=3):
        self.net, self.domain = Surrogate(), Collocation(n)
        self.viscosity, self.refresh_every = viscosity, refresh_every
        self.opt = torch.optim.Adam(self.net.parameters(), lr=lr)
        self.steps = 0

    def residual(self, tx):
        return burgers_residual(self.net, tx, self.viscosity)

    def boundary(self, n=16):
        start, sides = Collocation.random(n), Collocation.random(n)
        start[:, 0] = 0.0
        sides[:, 1].sign_()
        initial = self.net(start) + torch.sin(math.pi * start[:, 1:])
        return initial.square().mean() + self.net(sides).square().mean()

    def step(self):
        physics = (self.domain.weights * self.residual(self.domain.points).square()).mean()
        loss = physics + 10 * self.boundary()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.domain.ascend()
        self.steps += 1
        if self.steps % self.refresh_every == 0:
            self.domain.refresh(self.residual)
        return loss.item(), self.domain.weights.max().item()


# --- driver ---
torch.manual_seed(9)
pinn = PINN()
for _ in range(5):
    print(pinn.step())
