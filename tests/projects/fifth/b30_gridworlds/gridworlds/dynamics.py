"""Differentiable multi-agent particle dynamics with absorbing goals."""
import torch
from torch import nn


def soft_walls(pos, size, stiffness):
    over = (pos - size).clamp(min=0)
    under = (-pos).clamp(min=0)
    return stiffness * (under - over)


def pair_repulsion(pos, radius):
    d = pos.unsqueeze(2) - pos.unsqueeze(1)
    dist = d.pow(2).sum(-1).add_(1e-6).sqrt_()
    push = (radius - dist).clamp_(min=0)
    n = pos.size(1)
    push = push * (1 - torch.eye(n))
    return (push.unsqueeze(-1) * d / dist.unsqueeze(-1)).sum(2)


class Particles(nn.Module):
    def __init__(self, size=1.0, radius=0.1, dt=0.1, stiffness=5.0, friction=0.2):
        super().__init__()
        self.size, self.radius, self.dt = size, radius, dt
        self.stiffness = nn.Parameter(torch.tensor(stiffness))
        self.friction = nn.Parameter(torch.tensor(friction))

    def forward(self, pos, vel, action):
        acc = action + soft_walls(pos, self.size, self.stiffness)
        acc += pair_repulsion(pos, self.radius)
        acc -= self.friction * vel
        vel = vel + self.dt * acc
        return pos + self.dt * vel, vel
