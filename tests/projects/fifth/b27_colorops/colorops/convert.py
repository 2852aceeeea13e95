import math

import torch
from torch import Tensor


def rgb_to_hsv(image: Tensor, eps: float = 1e-8) -> Tensor:
    """RGB (*, 3, H, W) in [0, 1] to HSV, hue in radians."""
    if image.shape[-3] != 3:
        raise ValueError("expected 3 channels, got {}".format(tuple(image.shape)))
    r, g, b = image.unbind(-3)
    v = image.amax(-3)
    argmax = image.argmax(-3)
    deltac = v - image.amin(-3)
    s = deltac / (v + eps)
    deltac.masked_fill_(deltac == 0, 1.0)  # BUG
    rc, gc, bc = v - r, v - g, v - b
    h = torch.stack([bc - gc, rc - bc + 2.0 * deltac, gc - rc + 4.0 * deltac], dim=-3)
    h = h.gather(-3, argmax.unsqueeze(-3)).squeeze(-3)
    h = h / deltac
    h = (h / 6.0) % 1.0
    h *= 2 * math.pi
    return torch.stack([h, s, v], dim=-3)


def hsv_to_rgb(image: Tensor) -> Tensor:
    h, s, v = image.unbind(-3)
    h = h / (2 * math.pi)
    hi = torch.floor(h * 6) % 6
    f = ((h * 6) % 6) - hi
    p = v * (1 - s)
    q = v * (1 - f * s)
    t = v * (1 - (1 - f) * s)
    idx = hi.long().unsqueeze(-3)
    idx = torch.cat([idx, idx + 6, idx + 12], dim=-3)
    table = torch.stack([v, q, p, p, t, v, t, v, v, q, p, p, p, p, t, v, v, q], dim=-3)
    return table.gather(-3, idx)


def rgb_to_luma(image: Tensor) -> Tensor:
    w = image.new_tensor([0.299, 0.587, 0.114]).view(3, 1, 1)
    return (image * w).sum(-3, keepdim=True)
