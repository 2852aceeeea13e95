"""Physics-informed network for the viscous Burgers equation, with resampled collocation points."""
import math
from dataclasses import dataclass
import torch
import torch.nn as nn


@dataclass
class Opt:
    width: int = 16
    layers: int = 3
    n_col: int = 32
    n_bc: int = 8
    nu: float = 0.01 / math.pi
    lr: float = 1e-3
    resample_every: int = 1


class Net(nn.Module):
    def __init__(self, o: Opt):
        super().__init__()
        dims = [2] + [o.width] * o.layers + [1]
        self.lin = nn.ModuleList(nn.Linear(a, b) for a, b in zip(dims[:-1], dims[1:]))
        for m in self.lin:
            nn.init.xavier_normal_(m.weight)
            nn.init.zeros_(m.bias)

    def forward(self, xt):
        for m in self.lin[:-1]:
            xt = torch.tanh(m(xt))
        return self.lin[-1](xt)


def residual(net, xt, nu):
    u = net(xt)
    du = torch.autograd.grad(u.sum(), xt, create_graph=True)[0]
    u_x, u_t = du[:, :1], du[:, 1:]
    u_xx = torch.autograd.grad(u_x.sum(), xt, create_graph=True)[0][:, :1]
    return u_t + u * u_x - nu * u_xx


class Problem:
    def __init__(self, o: Opt):
        self.o = o
        self.col = torch.rand(o.n_col, 2).mul_(2).sub_(1).requires_grad_(True)
        x = torch.rand(o.n_bc, 1) * 2 - 1
        self.ic = torch.cat([x, torch.zeros_like(x)], 1)
        self.ic_u = -torch.sin(math.pi * x)
        t = torch.rand(o.n_bc, 1)
        side = torch.randint(0, 2, (o.n_bc, 1)).float().mul_(2).sub_(1)
        self.bc = torch.cat([side, t], 1)

    def resample(self):
        self.col.uniform_(-1, 1)  # BUG

    def loss(self, net):
        f = residual(net, self.col, self.o.nu).pow(2).mean()
        i = (net(self.ic) - self.ic_u).pow(2).mean()
        b = net(self.bc).pow(2).mean()
        return f + i + b


def train(o: Opt, steps: int):
    net, prob = Net(o), Problem(o)
    opt = torch.optim.Adam(net.parameters(), lr=o.lr)
    for k in range(steps):
        opt.zero_grad()
        loss = prob.loss(net)
        loss.backward()
        opt.step()
        if (k + 1) % o.resample_every == 0:
            prob.resample()
            prob.col.grad = None
    return net


# --- driver ---
torch.manual_seed(0)
train(Opt(), 2)
