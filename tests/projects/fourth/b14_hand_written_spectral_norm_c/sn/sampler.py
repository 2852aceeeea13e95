import math

import torch


def two_moons(n, noise=0.05):
    t = torch.rand(n) * math.pi
    pts = torch.stack([t.cos(), t.sin()], 1)
    flip = torch.rand(n) < 0.5
    pts[flip] *= -1
    pts[flip] += torch.tensor([1.0, 0.5])
    return pts.add_(torch.randn_like(pts), alpha=noise)


def noise_like(x):
    return torch.empty_like(x).uniform_(-2, 2)
