from __future__ import annotations

import torch
from torch import Tensor, nn

from . import ops
from .coder import CoderConfig, DeltaCoder


class BoxRegLoss(nn.Module):
    """Box regression on decoded boxes.

    Args:
        kind: "iou" or "giou".
        aspect_weight: weight of the log aspect ratio term (0 turns it off).
        coder: settings of the delta coder.

    ``forward(deltas, anchors, targets)``; anchors and targets are (N, 4) in x, y, w, h.
    """

    def __init__(self, kind: str = "giou", aspect_weight: float = 0.1, coder: CoderConfig | None = None):
        super().__init__()
        if kind not in ("iou", "giou"):
            raise ValueError(kind)
        self.kind = kind
        self.aspect_weight = aspect_weight
        self.coder = DeltaCoder(coder)

    def _aspect(self, pred: Tensor, tgt: Tensor) -> Tensor:
        rp = torch.log(pred[:, 2] / pred[:, 3])
        rt = torch.log(tgt[:, 2] / tgt[:, 3])
        return (rp - rt).abs_().mean()

    def forward(self, deltas: Tensor, anchors: Tensor, targets: Tensor) -> Tensor:
        pred = self.coder.apply_deltas(deltas, anchors)
        loss = pred.new_zeros(())
        if self.aspect_weight > 0:
            loss += self.aspect_weight * self._aspect(pred, targets)
        pred = ops.xywh_to_xyxy_(pred)
        tgt = ops.xywh_to_xyxy_(targets.clone())
        inter = ops.pairwise_inter(pred, tgt)
        union = ops.box_area(pred) + ops.box_area(tgt) - inter
        iou = inter / (union + 1e-7)
        if self.kind == "giou":
            hull = ops.box_area(ops.enclosing(pred, tgt))
            iou = iou - (hull - union) / (hull + 1e-7)
        loss += (1 - iou).mean()
        return loss
