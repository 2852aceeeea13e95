"""Deep equilibrium classifier: Anderson-accelerated fixed point, implicit gradient through a backward hook."""
from typing import Callable, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class Anderson:
    def __init__(self, memory: int = 4, iterations: int = 12, tol: float = 1e-3, ridge: float = 1e-4, mix: float = 1.0):
        self.m, self.iterations, self.tol, self.ridge, self.mix = memory, iterations, tol, ridge, mix

    @torch.no_grad()
    def __call__(self, fn: Callable[[Tensor], Tensor], z0: Tensor) -> Tuple[Tensor, int]:
        b, shape = len(z0), z0.shape
        zs, fs = torch.zeros(b, self.m, z0[0].numel()), torch.zeros(b, self.m, z0[0].numel())
        zs[:, 0] = z0.flatten(1)
        fs[:, 0] = fn(z0).flatten(1)
        zs[:, 1] = fs[:, 0]
        fs[:, 1] = fn(fs[:, 0].view(shape)).flatten(1)
        h = torch.zeros(b, self.m + 1, self.m + 1)
        h[:, 0, 1:] = h[:, 1:, 0] = 1
        y = torch.zeros(b, self.m + 1, 1)
        y[:, 0] = 1
        for k in range(2, self.iterations):
            n = min(k, self.m)
            gap = fs[:, :n] - zs[:, :n]
            h[:, 1:n + 1, 1:n + 1] = torch.bmm(gap, gap.transpose(1, 2))
            h[:, range(1, n + 1), range(1, n + 1)] += self.ridge
            alpha = torch.linalg.solve(h[:, :n + 1, :n + 1], y[:, :n + 1])[:, 1:, 0]
            slot = k % self.m
            new = torch.bmm(alpha[:, None], fs[:, :n]).mul_(self.mix)
            new += (1 - self.mix) * torch.bmm(alpha[:, None], zs[:, :n])
            zs[:, slot] = new[:, 0]
            fs[:, slot] = fn(zs[:, slot].view(shape)).flatten(1)
            if (fs[:, slot] - zs[:, slot]).norm() < self.tol * fs[:, slot].norm():
                break
        return fs[:, slot].view(shape), k


class Cell(nn.Module):
    def __init__(self, ch: int):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(ch, ch, 3, padding=1, bias=False), nn.Conv2d(ch, ch, 3, padding=1, bias=False)
        self.n1, self.n2, self.n3 = (nn.GroupNorm(2, ch) for _ in range(3))
        with torch.no_grad():
            for conv in (self.c1, self.c2):
                conv.weight.mul_(0.5)

    def forward(self, z: Tensor, x: Tensor) -> Tensor:
        y = self.n1(F.relu(self.c1(z), inplace=True))
        inner = self.c2(y)
        inner += x
        return self.n3(F.relu(z + self.n2(inner)))


class Equilibrium(nn.Module):
    def __init__(self, cell: nn.Module, solver: Anderson):
        super().__init__()
        self.cell, self.solver = cell, solver
        self.register_buffer("mean_iters", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        z, used = self.solver(lambda z: self.cell(z, x), torch.zeros_like(x))
        self.mean_iters.lerp_(torch.tensor(float(used)), 0.1)
        z = self.cell(z, x)
        if self.training:
            z0 = z.detach().requires_grad_()
            f0 = self.cell(z0, x)

            def implicit(grad: Tensor) -> Tensor:
                vjp = lambda g: torch.autograd.grad(f0, z0, g, retain_graph=True)[0].add_(grad)
                return self.solver(vjp, grad)[0]

            z.register_hook(implicit)
        return z


class DEQNet(nn.Module):
    def __init__(self, classes: int = 4, ch: int = 8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, ch, 3, 2, 1), nn.BatchNorm2d(ch))
        self.core = Equilibrium(Cell(ch), Anderson())
        self.head = nn.Linear(ch, classes)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.core(self.stem(x)).mean((2, 3)))


# --- driver ---
torch.manual_seed(39)
net = DEQNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(2):
    loss = F.cross_entropy(net(torch.randn(4, 3, 12, 12)), torch.randint(0, 4, (4,)))
    opt.zero_grad()
    loss.backward()
    opt.step()
