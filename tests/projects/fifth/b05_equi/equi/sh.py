"""Real spherical harmonics up to l=2 (component normalisation)."""
import math

import torch


def _sh0(x, y, z):
    return [torch.ones_like(x)]


def _sh1(x, y, z):
    c = math.sqrt(3.0)
    return [c * x, c * y, c * z]


def _sh2(x, y, z):
    c = math.sqrt(15.0)
    r2 = x * x + z * z
    return [c * x * z, c * x * y, math.sqrt(5.0) * (y * y - 0.5 * r2), c * y * z, 0.5 * c * (z * z - x * x)]


_TABLE = {0: _sh0, 1: _sh1, 2: _sh2}


def spherical_harmonics(ls, vec, normalize):
    r"""Evaluate the harmonics ``ls`` on ``vec`` of shape ``(..., 3)``.

    normalize: project ``vec`` onto the sphere first. Vectors of length zero stay zero.
    """
    if normalize:
        length = vec.norm(dim=-1, keepdim=True)
        vec /= length.clamp(min=1e-9)  # BUG
    x, y, z = vec[..., 0], vec[..., 1], vec[..., 2]
    out = []
    for l in ls:
        out += _TABLE[l](x, y, z)
    return torch.stack(out, dim=-1)
