# PINN: u_t = nu u_xx - u u_x  (viscous Burgers), forced boundary through an ansatz
import math

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(29)
torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)


class Field(nn.Module):
    def __init__(self, width=20):
        super().__init__()
        self.l1 = nn.Linear(2, width)
        self.l2 = nn.Linear(width, width)
        self.l3 = nn.Linear(width, 1)
        self.register_buffer("lo", torch.tensor([-1.0, 0.0]))
        self.register_buffer("hi", torch.tensor([1.0, 1.0]))

    def forward(self, x, t):
        z = torch.stack([x, t], dim=1)
        z = 2 * (z - self.lo) / (self.hi - self.lo)
        z -= 1
        h = torch.tanh(self.l1(z))
        h = torch.tanh(self.l2(h))
        u = self.l3(h).squeeze(1)
        # hard constraints: u(x,0) = -sin(pi x), u(+-1,t) = 0
        gate = t * (1 - x * x)
        out = u * gate
        out -= torch.sin(math.pi * x)
        return out


def d(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def residual(net, x, t, nu):
    u = net(x, t)
    ux, ut = d(u, x), d(u, t)
    uxx = d(ux, x)
    r = ut + u * ux
    r -= nu * uxx
    return r


class Points:
    def __init__(self, n):
        self.x = torch.zeros(n, requires_grad=True)
        self.t = torch.zeros(n, requires_grad=True)
        self.w = np.ones(n)

    def resample(self, frac=1.0):
        n = self.x.numel()
        k = int(n * frac)
        self.x.data[:k].uniform_(-1, 1)
        self.t.data[:k].uniform_(0, 1)
        self.x.grad = self.t.grad = None

    def keep_worst(self, r):
        order = r.detach().abs().argsort()
        self.x.data.copy_(self.x.data[order])
        self.t.data.copy_(self.t.data[order])
        self.w = self.w[order.numpy()]
        self.w[: len(self.w) // 2] *= 0.9


net = Field()
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.97)
pts = Points(60)
pts.resample()
for it in range(8):
    if it:
        pts.resample(0.5)
    r = residual(net, pts.x, pts.t, 0.05)
    weights = torch.from_numpy(pts.w)
    loss = (weights * r.square()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    pts.keep_worst(r)
    if it % 2 == 0:
        print(it, f"{loss.item():.5f}")
