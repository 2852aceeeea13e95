"""Physics-informed network for viscous Burgers, with residual-based point weights and resampling."""
import math

import torch
import torch.nn as nn


class FourierMLP(nn.Module):
    def __init__(self, width=24, depth=3, features=8, scale=1.0):
        super().__init__()
        self.register_buffer("B", torch.randn(2, features).mul_(scale * math.pi))
        dims = [2 * features + 2] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims, dims[1:]))
        self.slopes = nn.Parameter(torch.ones(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, xt):
        proj = xt @ self.B
        h = torch.cat([xt, proj.sin(), proj.cos()], 1)
        for slope, lin in zip(self.slopes, self.hidden):
            h = torch.tanh(slope * lin(h))
        x = xt[:, :1]
        return (1 - x * x) * self.out(h)


def derivative(u, v):
    return torch.autograd.grad(u, v, torch.ones_like(u), create_graph=True)[0]


def burgers_residual(net, pts, nu):
    pts = pts.clone().requires_grad_()
    u = net(pts)
    du = derivative(u, pts)
    u_x, u_t = du[:, :1], du[:, 1:]
    u_xx = derivative(u_x, pts)[:, :1]
    res = u_t + u * u_x
    res -= nu * u_xx
    return res.squeeze(1)


class Collocation:
    """Interior points with multiplicative weights that grow where the equation is violated."""

    def __init__(self, n, decay=0.9, gain=0.1):
        self.points = self.draw(n)
        self.weight = torch.ones(n)
        self.decay, self.gain = decay, gain

    @staticmethod
    def draw(n):
        pts = torch.rand(n, 2)
        pts[:, 0].mul_(2).sub_(1)
        return pts

    @torch.no_grad()
    def reweight(self, residual):
        size = residual.abs()
        self.weight.mul_(self.decay).add_(size / size.max().clamp_(min=1e-8), alpha=self.gain)
        self.weight.div_(self.weight.mean())

    @torch.no_grad()
    def refresh(self, fraction):
        k = int(fraction * len(self.points))
        stale = self.weight.topk(k, largest=False).indices
        self.points[stale] = self.draw(k)
        self.weight[stale] = 1.0


class Burgers:
    def __init__(self, nu=0.01 / math.pi, n_initial=32):
        self.nu = nu
        x = torch.linspace(-1, 1, n_initial).unsqueeze(1)
        self.initial = torch.cat([x, torch.zeros_like(x)], 1)
        self.profile = torch.sin(math.pi * x).neg_()

    def initial_loss(self, net):
        return (net(self.initial) - self.profile).square().mean()


class BalancedLoss:
    """Rescales the data term so that both terms pull on the last layer equally hard."""

    def __init__(self, anchor, alpha=0.9):
        self.anchor, self.alpha = anchor, alpha
        self.factor = torch.ones(())

    def __call__(self, physics, data):
        gp = torch.autograd.grad(physics, self.anchor, retain_graph=True)[0].norm()
        gd = torch.autograd.grad(data, self.anchor, retain_graph=True)[0].norm()
        self.factor.lerp_((gp / gd.clamp_(min=1e-8)).clamp_(0.1, 100), 1 - self.alpha)
        return physics + self.factor.clone() * data


def solve(net, problem, steps, n=64):
    cloud, combine = Collocation(n), BalancedLoss(net.out.weight)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for i in range(steps):
        res = burgers_residual(net, cloud.points, problem.nu)
        loss = combine((cloud.weight * res.square()).mean(), problem.initial_loss(net))
        opt.zero_grad()
        loss.backward()
        opt.step()
        cloud.reweight(res)
        if i % 2:
            cloud.refresh(0.25)
    return loss.item()


# --- driver ---
torch.manual_seed(53)
solve(FourierMLP(), Burgers(), steps=4)
