import torch
import torch.nn.functional as F


def iou_xywh(a, b, eps=1e-7):
    a1, a2 = a[..., :2] - a[..., 2:] / 2, a[..., :2] + a[..., 2:] / 2
    b1, b2 = b[..., :2] - b[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2
    wh = (torch.min(a2, b2) - torch.max(a1, b1)).clamp(min=0)
    inter = wh.prod(-1)
    union = a[..., 2:].prod(-1) + b[..., 2:].prod(-1) - inter + eps
    return inter / union


def compute_loss(pred, boxes, labels):
    loss = pred.new_zeros(())
    for p, b, c in zip(pred, boxes, labels):
        iou = iou_xywh(p[:, :4], b[None])
        k = iou.detach().argmax()
        obj = torch.zeros_like(p[:, 4])
        obj[k] = 1.0
        onehot = F.one_hot(c, p.size(1) - 5).float()
        loss = loss + (1 - iou[k]) + F.binary_cross_entropy(p[:, 4], obj) \
            + F.binary_cross_entropy(p[k, 5:], onehot)
    return loss / len(boxes)
