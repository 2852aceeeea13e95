import torch
import torch.nn as nn

LOSSES = {}


def register_loss(cls):
    LOSSES[cls.name] = cls
    return cls


def build_loss(cfg):
    cfg = dict(cfg)
    return LOSSES[cfg.pop("type")](**cfg)


class BaseSegLoss(nn.Module):
    def __init__(self, ignore_index=255, weight=1.0):
        super().__init__()
        self.ignore_index, self.weight = ignore_index, weight

    def mask_ignored(self, probs, target):
        ignored = (target == self.ignore_index).unsqueeze(1).expand_as(probs)
        probs[ignored] = 0.0  # BUG
        return probs

    def onehot(self, target, n):
        t = target.clone()
        t[target == self.ignore_index] = 0
        oh = torch.zeros(t.size(0), n, *t.shape[1:])
        oh.scatter_(1, t.unsqueeze(1), 1.0)
        oh.mul_((target != self.ignore_index).unsqueeze(1))
        return oh

    def forward(self, probs, target):
        probs = self.mask_ignored(probs, target)
        return self.weight * self.compute(probs, self.onehot(target, probs.size(1)))


@register_loss
class DiceLoss(BaseSegLoss):
    name = "dice"

    def compute(self, p, t, eps=1.0):
        inter = (p * t).sum((0, 2, 3))
        den = p.sum((0, 2, 3)) + t.sum((0, 2, 3))
        return 1 - ((2 * inter + eps) / (den + eps)).mean()
