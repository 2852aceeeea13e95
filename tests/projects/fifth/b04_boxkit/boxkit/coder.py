from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from . import ops


@dataclass
class CoderConfig:
    weights: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    scale_clamp: float = math.log(1000.0 / 16)


class DeltaCoder:
    """Offsets relative to (x0, y0, w, h) anchors."""

    def __init__(self, cfg: CoderConfig | None = None):
        self.cfg = cfg or CoderConfig()

    def apply_deltas(self, deltas: Tensor, anchors: Tensor) -> Tensor:
        wx, wy, ww, wh = self.cfg.weights
        dx, dy, dw, dh = (deltas / deltas.new_tensor([wx, wy, ww, wh])).unbind(1)
        dw = dw.clamp(max=self.cfg.scale_clamp)
        dh = dh.clamp(max=self.cfg.scale_clamp)
        w = anchors[:, 2] * dw.exp()
        h = anchors[:, 3] * dh.exp()
        x = anchors[:, 0] + dx * anchors[:, 2]
        y = anchors[:, 1] + dy * anchors[:, 3]
        return torch.stack([x, y, w, h], dim=1)
