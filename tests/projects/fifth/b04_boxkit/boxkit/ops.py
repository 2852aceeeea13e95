from __future__ import annotations

import torch
from torch import Tensor


def box_area(boxes: Tensor) -> Tensor:
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def pairwise_inter(a: Tensor, b: Tensor) -> Tensor:
    lt = torch.max(a[:, :2], b[:, :2])
    rb = torch.min(a[:, 2:], b[:, 2:])
    wh = (rb - lt).clamp_(min=0)
    return wh[:, 0] * wh[:, 1]


def xywh_to_xyxy_(boxes: Tensor) -> Tensor:
    """Corner form from (x0, y0, w, h). Works in place and returns its argument."""
    boxes[:, 2] += boxes[:, 0]  # BUG
    boxes[:, 3] += boxes[:, 1]
    return boxes


def enclosing(a: Tensor, b: Tensor) -> Tensor:
    lt = torch.min(a[:, :2], b[:, :2])
    rb = torch.max(a[:, 2:], b[:, 2:])
    return torch.cat([lt, rb], dim=1)
