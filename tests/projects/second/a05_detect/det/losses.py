import torch.nn.functional as F


def detection_loss(pred, target):
    return F.smooth_l1_loss(pred[..., :2], target[..., :2]) + F.l1_loss(pred[..., 2:], target[..., 2:])
