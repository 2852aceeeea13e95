import torch
import torch.nn as nn
import torch.nn.functional as F

from .registry import LOSSES, register_loss


class ProbLoss(nn.Module):
    """Losses which work on class probabilities (N, C, H, W)."""

    def __init__(self, weight=1.0, ignore_index=255):
        super().__init__()
        self.weight = weight
        self.ignore_index = ignore_index

    def prepare(self, probs, target):
        valid = target != self.ignore_index
        target = target.clone()
        target[~valid] = 0
        onehot = F.one_hot(target, probs.size(1)).permute(0, 3, 1, 2).float()
        valid = valid.unsqueeze(1)
        onehot *= valid
        probs *= valid  # BUG
        return probs, onehot, valid

    def forward(self, probs, target):
        return self.weight * self.compute(*self.prepare(probs, target))

    def compute(self, probs, onehot, valid):
        raise NotImplementedError


@register_loss('dice')
class DiceLoss(ProbLoss):
    def __init__(self, smooth=1.0, **kw):
        super().__init__(**kw)
        self.smooth = smooth

    def compute(self, probs, onehot, valid):
        inter = (probs * onehot).sum((0, 2, 3))
        union = probs.sum((0, 2, 3)) + onehot.sum((0, 2, 3))
        return 1 - ((2 * inter + self.smooth) / (union + self.smooth)).mean()


@register_loss('focal')
class FocalLoss(ProbLoss):
    def __init__(self, gamma=2.0, **kw):
        super().__init__(**kw)
        self.gamma = gamma

    def compute(self, probs, onehot, valid):
        pt = (probs * onehot).sum(1, keepdim=True)
        ce = -(pt + (~valid)).clamp(min=1e-6).log()
        return ((1 - pt) ** self.gamma * ce).sum() / valid.sum().clamp(min=1)


class CombinedLoss(nn.Module):
    def __init__(self, losses):
        super().__init__()
        self.losses = nn.ModuleList(losses)

    def forward(self, logits, target):
        probs = logits.softmax(1)
        return sum(l(probs, target) for l in self.losses)


def build_loss(cfg):
    items = []
    for c in cfg:
        c = dict(c)
        items.append(LOSSES[c.pop('type')](**c))
    return CombinedLoss(items)
