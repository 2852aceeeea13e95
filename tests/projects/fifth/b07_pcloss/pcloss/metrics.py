import torch
import torch.nn as nn

from .dist import pairwise, square_distance

_REDUCE = {"mean": torch.mean, "sum": torch.sum}


class _PointLoss(nn.Module):
    """Base: prepares the inputs, reduces the outcome."""

    def __init__(self, reduction="mean"):
        super(_PointLoss, self).__init__()
        self.reduce = _REDUCE[reduction]

    def prepare(self, x):
        if x.dim() == 2:
            x = x.unsqueeze(0)
        return x

    def forward(self, x, y):
        return self.reduce(self.compute(self.prepare(x), self.prepare(y)))

    def compute(self, x, y):
        raise NotImplementedError


class ChamferLoss(_PointLoss):
    """squared=True is the common squared form; else true distance is used."""

    def __init__(self, squared=True, **kw):
        super(ChamferLoss, self).__init__(**kw)
        self.squared = squared

    def compute(self, x, y):
        d = square_distance(x, y) if self.squared else pairwise(x, y)
        return d.min(2)[0].mean(1) + d.min(1)[0].mean(1)


class RepulsionLoss(_PointLoss):
    """PU-Net repulsion among k nearest neighbours of the prediction (y is ignored).

    h: radius; radius=0.07 in the paper. Pairs further than h do not count.
    """

    def __init__(self, k=4, h=0.5, **kw):
        super(RepulsionLoss, self).__init__(**kw)
        self.k, self.h = k, h

    def compute(self, x, y=None):
        d = pairwise(x, x)
        dist, _ = d.topk(self.k + 1, dim=-1, largest=False)
        dist = dist[:, :, 1:]
        w = torch.exp(-dist ** 2 / self.h ** 2)
        return ((self.h - dist) * w).clamp(min=0).mean(-1)


class EnergyDistance(_PointLoss):
    """Energy distance with a floor on short distances (``floor``), for stable grads."""

    def __init__(self, floor=1e-3, p=2, **kw):
        super(EnergyDistance, self).__init__(**kw)
        self.floor, self.p = floor, p

    def _mean_dist(self, a, b):
        d = pairwise(a, b, self.p)
        d.clamp_(min=self.floor)  # BUG
        return d.mean((1, 2))

    def compute(self, x, y):
        out = 2 * self._mean_dist(x, y)
        out -= self._mean_dist(x, x)
        out -= self._mean_dist(y, y)
        return out
