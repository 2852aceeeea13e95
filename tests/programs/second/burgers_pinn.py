"""Physics-informed network for the viscous Burgers equation (modified MLP of Wang et al.)."""
import math

import torch
import torch.nn as nn


def grad(u, x):
    return torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]


class FourierFeatures(nn.Module):
    def __init__(self, n_in, n_feat, sigma=1.0):
        super().__init__()
        self.register_buffer("b", torch.randn(n_in, n_feat) * sigma)

    def forward(self, x):
        p = 2 * math.pi * x @ self.b
        return torch.cat([torch.sin(p), torch.cos(p)], dim=-1)


class ModifiedMLP(nn.Module):
    def __init__(self, n_in=2, width=16, depth=3):
        super().__init__()
        self.ff = FourierFeatures(n_in, width // 2, 0.5)
        self.u = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))
        self.out = nn.Linear(width, 1)

    def forward(self, xt):
        x = self.ff(xt)
        u = torch.tanh(self.u(x))
        v = torch.tanh(self.v(x))
        h = x
        for layer in self.hidden:
            z = torch.tanh(layer(h))
            skip = (1 - z) * u
            z *= v  # BUG
            h = z + skip
        return self.out(h)


class BurgersProblem:
    def __init__(self, nu=0.01 / math.pi):
        self.nu = nu

    def collocation(self, n):
        xt = torch.rand(n, 2)
        xt[:, 0].mul_(2).sub_(1)
        return xt.requires_grad_(True)

    def initial(self, n):
        x = torch.rand(n, 1) * 2 - 1
        return torch.cat([x, torch.zeros_like(x)], 1), -torch.sin(math.pi * x)

    def boundary(self, n):
        t = torch.rand(n, 1)
        side = torch.randint(0, 2, (n, 1)).float() * 2 - 1
        return torch.cat([side, t], 1)

    def residual(self, net, xt):
        u = net(xt)
        g = grad(u, xt)
        u_x, u_t = g[:, :1], g[:, 1:]
        u_xx = grad(u_x, xt)[:, :1]
        return u_t + u * u_x - self.nu * u_xx


class PINNTrainer:
    def __init__(self, net, problem, lr=1e-3):
        self.net, self.problem = net, problem
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.weights = {"pde": 1.0, "ic": 10.0, "bc": 10.0}

    def losses(self, n):
        xt = self.problem.collocation(n)
        xi, ui = self.problem.initial(n)
        xb = self.problem.boundary(n)
        return {
            "pde": self.problem.residual(self.net, xt).pow(2).mean(),
            "ic": (self.net(xi) - ui).pow(2).mean(),
            "bc": self.net(xb).pow(2).mean(),
        }

    def step(self, n=16):
        parts = self.losses(n)
        total = sum(self.weights[k] * v for k, v in parts.items())
        self.opt.zero_grad()
        total.backward()
        self.opt.step()
        return {k: v.item() for k, v in parts.items()}


# --- driver ---
torch.manual_seed(0)
PINNTrainer(ModifiedMLP(), BurgersProblem()).step()
