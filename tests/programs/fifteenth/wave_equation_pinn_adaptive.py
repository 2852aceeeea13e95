"""PINN for the 1-D wave equation with self-adaptive point weights."""
import math

import torch
import torch.nn as nn


class SineLayer(nn.Module):
    def __init__(self, a, b, omega=2.0):
        super().__init__()
        self.omega = omega
        self.lin = nn.Linear(a, b)

    def forward(self, x):
        z = self.lin(x)
        z *= self.omega
        return torch.sin(z)


class WaveNet(nn.Sequential):
    def __init__(self, width=24, depth=3):
        super().__init__(SineLayer(2, width), *[SineLayer(width, width) for _ in range(depth - 1)], nn.Linear(width, 1))


def grad(y, x):
    return torch.autograd.grad(y.sum(), x, create_graph=True)[0]


def wave_residual(net, xt, c):
    xt = xt.clone().requires_grad_(True)
    u = net(xt)
    first = grad(u, xt)
    u_xx = grad(first[:, :1], xt)[:, :1]
    u_tt = grad(first[:, 1:], xt)[:, 1:]
    res = u_xx * (-c ** 2)
    res += u_tt
    return res


class AdaptiveWeights(nn.Module):
    """One multiplier per collocation point, raised where the residual stays large."""

    def __init__(self, n, rate=0.5):
        super().__init__()
        self.rate = rate
        self.register_buffer("lam", torch.ones(n, 1))

    def loss(self, res):
        return (self.lam * res.square()).mean()

    @torch.no_grad()
    def raise_(self, res):
        mag = res.abs()
        mag /= mag.max()
        self.lam += self.rate * mag
        self.lam /= self.lam.mean()


class Problem:
    def __init__(self, n=48, c=1.0):
        self.c = c
        self.interior = torch.rand(n, 2)
        x = torch.rand(n // 2, 1)
        self.start = torch.cat([x, torch.zeros_like(x)], 1)
        self.u0 = torch.sin(math.pi * x)
        self.wall = torch.rand(n // 2, 2)
        self.wall[:, 0] = (self.wall[:, 0] > 0.5).float()

    def boundary(self, net):
        total = (net(self.start) - self.u0).square().mean()
        total += net(self.wall).square().mean()
        return total

    def exact(self, xt):
        return torch.sin(math.pi * xt[:, :1]) * torch.cos(math.pi * self.c * xt[:, 1:])


def train(problem, net, weights, steps, lr=1e-3):
    opt = torch.optim.Adam(net.parameters(), lr=lr)
    for step in range(steps):
        res = wave_residual(net, problem.interior, problem.c)
        loss = weights.loss(res) + 10 * problem.boundary(net)
        opt.zero_grad()
        loss.backward()
        opt.step()
        weights.raise_(res)
        with torch.no_grad():
            err = net(problem.interior)
            err -= problem.exact(problem.interior)
        print(step, f"loss {loss.item():.4f} rel {err.norm().item():.4f}")


# --- driver ---
def main():
    torch.manual_seed(0)
    problem = Problem()
    train(problem, WaveNet(), AdaptiveWeights(len(problem.interior)), steps=3)


if __name__ == "__main__":
    main()
