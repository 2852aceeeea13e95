"""Physics-informed network for the viscous Burgers equation."""
import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

NU = 0.01 / math.pi


class Derivs(NamedTuple):
    u: Tensor
    u_t: Tensor
    u_x: Tensor
    u_xx: Tensor


class MLP(nn.Module):
    def __init__(self, width: int = 20, depth: int = 3):
        super().__init__()
        layers = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, t: Tensor, x: Tensor) -> Tensor:
        return self.net(torch.cat([t, x], 1))


def partial_derivative(y: Tensor, wrt: Tensor) -> Tensor:
    return torch.autograd.grad(y, wrt, torch.ones_like(y), create_graph=True)[0]


def derivatives(net: nn.Module, t: Tensor, x: Tensor) -> Derivs:
    t.requires_grad_(True)
    x.requires_grad_(True)
    u = net(t, x)
    u_x = partial_derivative(u, x)
    return Derivs(u, partial_derivative(u, t), u_x, partial_derivative(u_x, x))


class Residuals:
    """Named residual terms, evaluated one after another on the same derivatives."""

    def __init__(self, **weights: float):
        self.weights = weights

    def pde(self, d: Derivs) -> Tensor:
        res = d.u * d.u_x
        res += d.u_t
        res -= NU * d.u_xx
        return res.pow(2).mean()

    def flux(self, d: Derivs) -> Tensor:
        """Penalise strong diffusive flux."""
        f = d.u_x.mul_(-NU)  # BUG
        return f.abs().mean()

    def total(self, d: Derivs) -> Tensor:
        out = torch.zeros(())
        for name, w in self.weights.items():
            out = out + w * getattr(self, name)(d)
        return out


def initial_condition(x: Tensor) -> Tensor:
    return -torch.sin(math.pi * x)


def collocation(n: int):
    return torch.rand(n, 1), 2 * torch.rand(n, 1) - 1


def data_loss(net, n):
    x = 2 * torch.rand(n, 1) - 1
    ic = (net(torch.zeros_like(x), x) - initial_condition(x)).pow(2).mean()
    t = torch.rand(n, 1)
    edge = torch.ones_like(t)
    bc = net(t, edge).pow(2).mean() + net(t, -edge).pow(2).mean()
    return ic + bc


# --- driver ---
def main():
    torch.manual_seed(0)
    net = MLP()
    res = Residuals(pde=1.0, flux=0.1)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for it in range(3):
        opt.zero_grad()
        loss = res.total(derivatives(net, *collocation(32))) + data_loss(net, 16)
        loss.backward()
        opt.step()
        print(f"{it} {loss.item():.5f}")


if __name__ == "__main__":
    main()
