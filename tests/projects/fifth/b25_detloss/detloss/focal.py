import torch
import torch.nn as nn
import torch.nn.functional as F

from .reduce import weighted_loss


@weighted_loss
def sigmoid_focal_loss(pred, target, gamma=2.0, alpha=0.25):
    prob = pred.sigmoid()
    neg = target == 0
    pt = prob
    pt[neg] = 1 - pt[neg]  # BUG
    at = torch.full_like(pred, alpha)
    at[neg] = 1 - alpha
    focal = at * (1 - pt).pow(gamma)
    return focal * -torch.log(pt.clamp(min=1e-8))


@weighted_loss
def quality_focal_loss(pred, target, beta=2.0):
    prob = pred.sigmoid()
    scale = (prob - target).abs_().pow(beta)
    return F.binary_cross_entropy_with_logits(pred, target, reduction="none") * scale


@weighted_loss
def varifocal_loss(pred, target, alpha=0.75, gamma=2.0):
    prob = pred.sigmoid()
    w = target.clone()
    bg = target <= 0
    w[bg] = alpha * (prob.detach()[bg] ** gamma)
    return F.binary_cross_entropy_with_logits(pred, target, reduction="none") * w


class _Loss(nn.Module):
    fn = None

    def __init__(self, reduction="mean", loss_weight=1.0, **kwargs):
        super(_Loss, self).__init__()
        self.reduction, self.loss_weight, self.kwargs = reduction, loss_weight, kwargs

    def convert(self, pred, target):
        return target

    def forward(self, pred, target, weight=None, avg_factor=None):
        target = self.convert(pred, target)
        return self.loss_weight * type(self).fn(
            pred, target, weight, reduction=self.reduction, avg_factor=avg_factor, **self.kwargs)


class FocalLoss(_Loss):
    """target: (N,) class index, ``num_classes`` is the background."""

    fn = staticmethod(sigmoid_focal_loss)

    def convert(self, pred, target):
        n = pred.size(1)
        onehot = pred.new_zeros(pred.size(0), n + 1)
        onehot.scatter_(1, target.unsqueeze(1), 1)
        return onehot[:, :n]


class QualityFocalLoss(_Loss):
    fn = staticmethod(quality_focal_loss)


class VarifocalLoss(_Loss):
    fn = staticmethod(varifocal_loss)
