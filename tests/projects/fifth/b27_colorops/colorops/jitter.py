from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from .convert import hsv_to_rgb, rgb_to_hsv, rgb_to_luma


def adjust_brightness(x: Tensor, f: Tensor) -> Tensor:
    return (x * f).clamp_(0, 1)


def adjust_contrast(x: Tensor, f: Tensor) -> Tensor:
    m = rgb_to_luma(x).mean((-2, -1), keepdim=True)
    return (f * x + (1 - f) * m).clamp_(0, 1)


def adjust_saturation(x: Tensor, f: Tensor) -> Tensor:
    h, s, v = rgb_to_hsv(x).unbind(-3)
    s = (s * f.squeeze(-3)).clamp_(0, 1)
    return hsv_to_rgb(torch.stack([h, s, v], -3))


def adjust_hue(x: Tensor, f: Tensor) -> Tensor:
    h, s, v = rgb_to_hsv(x).unbind(-3)
    h = torch.fmod(h + f.squeeze(-3), 2 * math.pi)
    return hsv_to_rgb(torch.stack([h, s, v], -3))


class ColorJitter(nn.Module):
    """Differentiable colour jitter.

    Every argument is the half width of the uniform range of its factor; 0 leaves that step out.
    """

    _OPS = {
        "brightness": (adjust_brightness, 1.0),
        "contrast": (adjust_contrast, 1.0),
        "saturation": (adjust_saturation, 1.0),
        "hue": (adjust_hue, 0.0),
    }

    def __init__(self, brightness=0.2, contrast=0.2, saturation=0.2, hue=0.1, same_on_batch=False):
        super().__init__()
        self.ranges = dict(brightness=brightness, contrast=contrast, saturation=saturation, hue=hue)
        self.same_on_batch = same_on_batch

    def _factor(self, x: Tensor, center: float, width: float) -> Tensor:
        n = 1 if self.same_on_batch else x.shape[0]
        f = x.new_empty(n, 1, 1, 1).uniform_(-width, width)
        return f.add_(center)

    def forward(self, x: Tensor) -> Tensor:
        for name, (fn, center) in self._OPS.items():
            if self.ranges[name]:
                x = fn(x, self._factor(x, center, self.ranges[name]))
        return x
