import torch
import torch.nn.functional as F

from .boxes import iou, xywh2xyxy


class DetLoss:
    def __init__(self, w_box=5.0):
        self.w_box = w_box

    @torch.no_grad()
    def assign(self, pred, gt):
        v = iou(xywh2xyxy(pred[..., :4]).unsqueeze(2), gt.unsqueeze(1))
        best, idx = v.max(2)
        target = torch.zeros_like(best)
        target[best > 0.05] = 1
        target.scatter_(1, v.max(1).indices, 1.0)
        return target, idx

    def __call__(self, pred, gt):
        target, idx = self.assign(pred, gt)
        g = gt.gather(1, idx.unsqueeze(-1).expand(-1, -1, 4))
        u = 1 - iou(xywh2xyxy(pred[..., :4]), g)
        box = (u * target).sum() / target.sum().clamp_(min=1)
        obj = F.binary_cross_entropy_with_logits(pred[..., 4], target)
        return self.w_box * box + obj
