import torch


def xywh2xyxy(x):
    y = x.clone()
    y[..., 0] = x[..., 0] - x[..., 2] / 2
    y[..., 1] = x[..., 1] - x[..., 3] / 2
    y[..., 2] = x[..., 0] + x[..., 2] / 2
    y[..., 3] = x[..., 1] + x[..., 3] / 2
    return y


def clip_boxes(boxes, shape):
    boxes[..., 0::2].clamp_(0, shape[1])
    boxes[..., 1::2].clamp_(0, shape[0])
    return boxes


def iou(a, b, eps=1e-7):
    lt = torch.max(a[..., :2], b[..., :2])
    rb = torch.min(a[..., 2:], b[..., 2:])
    inter = (rb - lt).clamp(0).prod(-1)
    area = lambda t: (t[..., 2:] - t[..., :2]).clamp(0).prod(-1)
    return inter / (area(a) + area(b) - inter + eps)


def nms(boxes, scores, thr):
    keep, order = [], scores.argsort(descending=True)
    while order.numel():
        i = order[0]
        keep.append(int(i))
        v = iou(boxes[i].unsqueeze(0), boxes[order[1:]])
        order = order[1:][v <= thr]
    return keep
