import argparse
import math

import torch
import torch.nn as nn


def grad(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


class SineLayer(nn.Module):
    def __init__(self, cin, cout, w0=1.0):
        super().__init__()
        self.lin, self.w0 = nn.Linear(cin, cout), w0

    def forward(self, x):
        return torch.sin(self.w0 * self.lin(x))


class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        seq = [SineLayer(2, width)] + [SineLayer(width, width) for _ in range(depth - 1)]
        self.seq = nn.Sequential(*seq, nn.Linear(width, 1))

    def forward(self, x, t):
        return self.seq(torch.cat([x, t], dim=1))


class BurgersProblem:
    def __init__(self, nu=0.01 / math.pi, n_f=32, n_b=8, n_i=8, seed=0):
        self.nu, self.n_f, self.n_b, self.n_i = nu, n_f, n_b, n_i
        self.gen = torch.Generator().manual_seed(seed)

    def _rand(self, n, lo, hi):
        return torch.rand(n, 1, generator=self.gen) * (hi - lo) + lo

    def interior(self):
        x = self._rand(self.n_f, -1, 1).requires_grad_()
        t = self._rand(self.n_f, 0, 1).requires_grad_()
        return x, t

    def residual(self, net):
        x, t = self.interior()
        u = net(x, t)
        u_t, u_x = grad(u, t), grad(u, x)
        u_xx = grad(u_x, x)
        adv = u * u_x
        u_x[x.abs() > 0.95] = 0.0  # BUG
        shock = u_x.detach().abs().mean()
        return u_t + adv - self.nu * u_xx, shock

    def boundary(self, net):
        t = self._rand(self.n_b, 0, 1)
        ones = torch.ones_like(t)
        return net(ones, t), net(-ones, t)

    def initial(self, net):
        x = self._rand(self.n_i, -1, 1)
        return net(x, torch.zeros_like(x)) + torch.sin(math.pi * x)

    def loss(self, net, weights):
        res, shock = self.residual(net)
        left, right = self.boundary(net)
        terms = {
            "pde": res.pow(2).mean(),
            "bc": left.pow(2).mean() + right.pow(2).mean(),
            "ic": self.initial(net).pow(2).mean(),
        }
        return sum(weights[k] * v for k, v in terms.items()), shock


def train(args):
    net = Net(args.width, args.depth)
    problem = BurgersProblem()
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for it in range(args.iters):
        opt.zero_grad()
        loss, shock = problem.loss(net, dict(pde=1.0, bc=args.w_bc, ic=args.w_ic))
        loss.backward()
        opt.step()
        print(it, loss.item(), shock.item())
    return net


# --- driver ---
torch.manual_seed(16)
train(argparse.Namespace(width=12, depth=2, lr=1e-3, iters=1, w_bc=1.0, w_ic=5.0))
