import functools

import torch


def reduce_loss(loss, reduction):
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()


def weighted_loss(func):
    """Gives a loss function ``weight``, ``reduction`` and ``avg_factor`` arguments."""

    @functools.wraps(func)
    def wrapper(pred, target, weight=None, reduction="mean", avg_factor=None, **kwargs):
        loss = func(pred, target, **kwargs)
        if weight is not None:
            loss *= weight
        if avg_factor is None:
            return reduce_loss(loss, reduction)
        if reduction == "mean":
            return loss.sum() / avg_factor
        return loss

    return wrapper
