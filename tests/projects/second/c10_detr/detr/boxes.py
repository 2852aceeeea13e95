import torch


def box_cxcywh_to_xyxy(b):
    cx, cy, w, h = b.unbind(-1)
    return torch.stack([cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2], -1)


def scale_(boxes, size):
    """For evaluation: in place on detached boxes."""
    w, h = size
    boxes *= boxes.new_tensor([w, h, w, h])
    return boxes


def giou(a, b):
    lt, rb = torch.max(a[:, :2], b[:, :2]), torch.min(a[:, 2:], b[:, 2:])
    wh = (rb - lt).clamp_(min=0)
    inter = wh[:, 0] * wh[:, 1]
    area = lambda t: (t[:, 2] - t[:, 0]) * (t[:, 3] - t[:, 1])
    union = area(a) + area(b) - inter
    c = (torch.max(a[:, 2:], b[:, 2:]) - torch.min(a[:, :2], b[:, :2])).clamp_(min=0).prod(-1)
    return inter / union - (c - union) / c
