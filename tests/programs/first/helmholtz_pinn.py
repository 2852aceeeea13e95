"""Physics-informed network for a 2-D Helmholtz problem."""
import math

import torch
import torch.nn as nn


class SineLayer(nn.Module):
    def __init__(self, d_in, d_out, omega=5.0, first=False):
        super().__init__()
        self.omega = omega
        self.linear = nn.Linear(d_in, d_out)
        bound = 1 / d_in if first else math.sqrt(6 / d_in) / omega
        with torch.no_grad():
            self.linear.weight.uniform_(-bound, bound)

    def forward(self, x):
        return torch.sin(self.omega * self.linear(x))


class FieldNet(nn.Module):
    def __init__(self, width=24, depth=2):
        super().__init__()
        layers = [SineLayer(2, width, first=True)]
        layers += [SineLayer(width, width) for _ in range(depth - 1)]
        self.trunk = nn.Sequential(*layers)
        self.head = nn.Linear(width, 1)

    def forward(self, xy):
        return self.head(self.trunk(xy))


class Box:
    """Axis-aligned domain with uniform sampling."""

    def __init__(self, lo, hi):
        self.lo, self.hi = torch.tensor(lo), torch.tensor(hi)

    def interior(self, n):
        pts = torch.rand(n, 2)
        return self.lo + pts * (self.hi - self.lo)

    def boundary(self, n):
        pts = self.interior(n)
        side = torch.randint(0, 2, (n,))
        axis = torch.randint(0, 2, (n,))
        rows = torch.arange(n)
        pts[rows, axis] = torch.where(side == 0, self.lo[axis], self.hi[axis])
        return pts

    def normalize_(self, pts):
        pts.sub_(self.lo).mul_(2.0 / (self.hi - self.lo))  # BUG
        return pts - 1.0


def gradients(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


def laplacian(u, x):
    g = gradients(u, x)
    return sum(gradients(g[:, i:i + 1], x)[:, i:i + 1] for i in range(x.size(1)))


class HelmholtzProblem:
    def __init__(self, box, k=2.0):
        self.box, self.k = box, k

    def source(self, xy):
        return torch.sin(math.pi * xy[:, :1]) * torch.sin(math.pi * xy[:, 1:])

    def residual_loss(self, net, n):
        xy = self.box.interior(n).requires_grad_(True)
        u = net(self.box.normalize_(xy))
        res = laplacian(u, xy) + self.k ** 2 * u - self.source(xy.detach())
        return res.pow(2).mean()

    def boundary_loss(self, net, n):
        pts = self.box.boundary(n)
        return net(self.box.normalize_(pts)).pow(2).mean()


def train(net, problem, steps=2, n_int=32, n_bc=16, lam=10.0):
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    log = []
    for step in range(steps):
        opt.zero_grad()
        l_pde = problem.residual_loss(net, n_int)
        l_bc = problem.boundary_loss(net, n_bc)
        loss = l_pde + lam * l_bc
        loss.backward()
        opt.step()
        log.append((step, l_pde.item(), l_bc.item()))
    return log


# --- driver ---
problem = HelmholtzProblem(Box([0.0, 0.0], [1.0, 2.0]))
print(train(FieldNet(), problem))
