"""Deep Ritz with central differences and residual-driven resampling of collocation points."""
import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn


@dataclass
class RitzConfig:
    n_interior: int = 32
    n_boundary: int = 12
    h: float = 1e-2
    penalty: float = 50.0
    penalty_growth: float = 1.1
    resample_frac: float = 0.25
    width: int = 12
    lr: float = 1e-3


class CubicBlock(nn.Module):
    def __init__(self, m):
        super().__init__()
        self.a, self.b = nn.Linear(m, m), nn.Linear(m, m)

    def forward(self, x):
        y = torch.relu(self.a(x)) ** 3
        y = self.b(y)
        y += x
        return y


class RitzNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inp = nn.Linear(2, width)
        self.blocks = nn.Sequential(CubicBlock(width), CubicBlock(width))
        self.out = nn.Linear(width, 1)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        return self.out(self.blocks(self.inp(x))).squeeze(-1)


def boundary(n):
    pts = torch.rand(n, 2)
    side = torch.randint(4, (n,))
    pts[side == 0, 0] = 0.0
    pts[side == 1, 0] = 1.0
    pts[side == 2, 1] = 0.0
    pts[side == 3, 1] = 1.0
    return pts


class Sampler:
    def __init__(self, cfg):
        self.cfg = cfg
        self.points = torch.rand(cfg.n_interior, 2)
        self.energy = torch.zeros(cfg.n_interior)

    def record(self, density):
        self.energy.mul_(0.5).add_(density.detach().abs(), alpha=0.5)

    def refresh(self):
        k = int(self.cfg.resample_frac * len(self.points))
        worst, calm = self.energy.topk(k).indices, self.energy.topk(k, largest=False).indices
        self.points[calm] = self.points[worst]
        self.points[calm] += 0.05 * torch.randn(k, 2)
        self.points.clamp_(0, 1)
        self.energy[calm] = 0


class DeepRitz:
    def __init__(self, cfg: RitzConfig):
        self.cfg, self.net, self.sampler = cfg, RitzNet(cfg.width), Sampler(cfg)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=cfg.lr)
        self.beta = torch.tensor(cfg.penalty)

    def _gradient_sq(self, x):
        total = torch.zeros(len(x))
        for axis in range(2):
            up, down = x.clone(), x.clone()
            up[:, axis] += self.cfg.h
            down[:, axis] -= self.cfg.h
            slope = (self.net(up) - self.net(down)) / (2 * self.cfg.h)
            total += slope ** 2
        return total

    def step(self):
        x = self.sampler.points
        f = 2 * math.pi ** 2 * torch.sin(math.pi * x).prod(1)
        density = 0.5 * self._gradient_sq(x) - f * self.net(x)
        edge = self.net(boundary(self.cfg.n_boundary)).pow(2).mean()
        loss = density.mean() + self.beta * edge
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.beta *= self.cfg.penalty_growth
        self.sampler.record(density)
        self.sampler.refresh()
        return loss.item()

    @torch.no_grad()
    def error(self, n=5):
        g = np.stack(np.meshgrid(np.linspace(0, 1, n), np.linspace(0, 1, n)), -1).reshape(-1, 2)
        x = torch.from_numpy(g).float()
        diff = self.net(x)
        diff -= torch.sin(math.pi * x).prod(1)
        return diff.abs_().max().item()


# --- driver ---
torch.manual_seed(0)
solver = DeepRitz(RitzConfig())
for _ in range(2):
    solver.step()
solver.error()
