"""Physics-informed network for the viscous Burgers equation with an adaptive weighting of the loss terms."""
import math

import torch
import torch.nn as nn
from torch.autograd import grad


class FourierMLP(nn.Module):
    def __init__(self, width=32, depth=3, modes=4):
        super().__init__()
        self.register_buffer("freq", torch.arange(1, modes + 1).float() * math.pi)
        dims = [2 * modes + 1] + [width] * depth
        self.hidden = nn.ModuleList(nn.Linear(i, o) for i, o in zip(dims, dims[1:]))
        self.final = nn.Linear(width, 1)

    def forward(self, xt):
        x, t = xt[:, :1], xt[:, 1:]
        h = torch.cat([torch.sin(x * self.freq), torch.cos(x * self.freq), t], dim=1)
        for layer in self.hidden:
            h = torch.tanh(layer(h))
        return self.final(h)


def d(out, inp):
    return grad(out, inp, torch.ones_like(out), create_graph=True)[0]


class Sampler:
    """Interior points, with the walls and the initial line mixed in."""

    def __init__(self, n_in=64, n_wall=16, n_init=16):
        self.n_in, self.n_wall, self.n_init = n_in, n_wall, n_init

    def draw(self):
        inner = torch.rand(self.n_in, 2) * torch.tensor([2.0, 1.0]) - torch.tensor([1.0, 0.0])
        wall = torch.stack([torch.randint(0, 2, (self.n_wall,)) * 2.0 - 1.0, torch.rand(self.n_wall)], 1)
        init = torch.stack([torch.rand(self.n_init) * 2 - 1, torch.zeros(self.n_init)], 1)
        return torch.cat([inner, wall, init]).requires_grad_()


class Burgers:
    def __init__(self, nu=0.01 / math.pi):
        self.nu = nu

    def residual(self, u, xt):
        du = d(u, xt)
        u_x, u_t = du[:, :1], du[:, 1:]
        u_xx = d(u_x, xt)[:, :1]
        return u_t + u * u_x - self.nu * u_xx

    def known(self, xt):
        """Where the solution is prescribed, and what it is there."""
        x, t = xt[:, :1].detach(), xt[:, 1:].detach()
        at = (x.abs() >= 1.0) | (t <= 0.0)
        return at, torch.where(x.abs() >= 1.0, torch.zeros_like(x), -torch.sin(math.pi * x))

    def terms(self, net, xt):
        u = net(xt)
        r = self.residual(u, xt)
        at, value = self.known(xt)
        fit = (u[at] - value[at]).square().mean()
        u[at] = value[at]  # BUG
        smooth = (u[1:] - u[:-1]).square().mean()
        return {"pde": r.square().mean(), "fit": fit, "tv": 1e-3 * smooth}


class LossBalance:
    def __init__(self, beta=0.9):
        self.beta, self.scale = beta, {}

    def __call__(self, terms):
        for k, v in terms.items():
            old = self.scale.get(k, v.item())
            self.scale[k] = self.beta * old + (1 - self.beta) * v.item()
        top = max(self.scale.values())
        return sum(v * min(10.0, top / (self.scale[k] + 1e-8)) for k, v in terms.items())


# --- driver ---
torch.manual_seed(0)
net, problem, sampler, balance = FourierMLP(), Burgers(), Sampler(), LossBalance()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(3):
    opt.zero_grad()
    loss = balance(problem.terms(net, sampler.draw()))
    loss.backward()
    opt.step()
