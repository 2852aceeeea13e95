import torch
import torch.nn as nn


class Drag(nn.Module):
    """Quadratic drag with a learnable coefficient."""

    def __init__(self, c=0.3):
        super().__init__()
        self.log_c = nn.Parameter(torch.tensor(c).log())

    def forward(self, body, act):
        v = body.vel
        return -self.log_c.exp() * v * v.abs()


class Spring(nn.Module):
    def __init__(self, k=0.5):
        super().__init__()
        self.register_buffer("k", torch.tensor(k))

    def forward(self, body, act):
        return -self.k * body.pos


class Thrust(nn.Module):
    def forward(self, body, act):
        return act


class ForceSum(nn.ModuleList):
    def forward(self, body, act):
        total = torch.zeros_like(body.vel)
        for f in self:
            total += f(body, act)
        return total
