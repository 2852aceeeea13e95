"""Identify spring stiffness and drag of a small cloth from an observed end state."""
import itertools

import torch
from torch import nn


def grid_springs(rows, cols):
    idx = lambda r, c: r * cols + c
    pairs = []
    for r, c in itertools.product(range(rows), range(cols)):
        if c + 1 < cols:
            pairs.append((idx(r, c), idx(r, c + 1)))
        if r + 1 < rows:
            pairs.append((idx(r, c), idx(r + 1, c)))
    return torch.tensor(pairs)


class Material(nn.Module):
    def __init__(self, stiffness=20.0, drag=0.1):
        super().__init__()
        self.log_k = nn.Parameter(torch.tensor(stiffness).log())
        self.log_c = nn.Parameter(torch.tensor(drag).log())

    @property
    def stiffness(self):
        return self.log_k.exp()

    @property
    def drag(self):
        return self.log_c.exp()


class Cloth(nn.Module):
    gravity = torch.tensor([0.0, -9.8, 0.0])

    def __init__(self, rows, cols, material, dt=0.01):
        super().__init__()
        self.material, self.dt = material, dt
        self.springs = grid_springs(rows, cols)
        ys, xs = torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij")
        rest = torch.stack([xs, -ys, torch.zeros_like(xs)], -1).float().view(-1, 3) * 0.1
        self.register_buffer("rest", rest)
        i, j = self.springs.t()
        self.register_buffer("length", (rest[i] - rest[j]).norm(dim=-1))
        free = torch.ones(len(rest), 1)
        free[:cols] = 0
        self.register_buffer("free", free)

    def spring_force(self, pos):
        i, j = self.springs.t()
        d = pos[i] - pos[j]
        l = d.norm(dim=-1, keepdim=True).clamp_min(1e-6)
        f = -self.material.stiffness * (l - self.length[:, None]) * d / l
        force = torch.zeros_like(pos)
        force.index_add_(0, i, f)
        force.index_add_(0, j, -f)
        return force

    def drag_force(self, vel):
        return -self.material.drag * vel

    def simulate(self, pos, vel, steps):
        for _ in range(steps):
            acc = self.spring_force(pos) + self.gravity
            acc += self.drag_force(vel)
            vel.add_(self.free * acc, alpha=self.dt)  # BUG
            pos = pos + self.dt * vel
        return pos, vel


def identify(cloth, target, steps, iters, lr=0.05):
    opt = torch.optim.Adam(cloth.material.parameters(), lr=lr)
    trace = []
    for _ in range(iters):
        pos, vel = cloth.simulate(cloth.rest.clone(), torch.zeros_like(cloth.rest), steps)
        loss = (pos - target).square().sum() + 1e-4 * vel.square().sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        trace.append((loss.item(), cloth.material.stiffness.item()))
    return trace


# --- driver ---
torch.manual_seed(0)
cloth = Cloth(3, 3, Material())
identify(cloth, cloth.rest + 0.02 * torch.randn(9, 3), steps=4, iters=1)
