import math

import torch

from .transforms import AffineTransform, ExpTransform, SigmoidTransform


class Normal:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def rsample(self, shape=()):
        eps = torch.empty(tuple(shape) + tuple(self.loc.shape)).normal_()
        return self.loc + eps * self.scale

    def log_prob(self, x):
        z = (x - self.loc) / self.scale
        lp = z.square().mul_(-0.5)
        lp -= self.scale.log()
        lp -= 0.5 * math.log(2 * math.pi)
        return lp


class TransformedDistribution:
    """Base distribution pushed through transforms.

    eps: if given, samples are kept in [eps, 1 - eps] (unit interval supports only).
    """

    def __init__(self, base, transforms, eps=None):
        self.base = base
        self.transforms = list(transforms)
        self.eps = eps

    def _clip(self, y):
        if self.eps is not None:
            y.clamp_(self.eps, 1 - self.eps)  # BUG
        return y

    def rsample(self, shape=()):
        x = self.base.rsample(shape)
        for t in self.transforms:
            x = t(x)
        return self._clip(x)

    def log_prob(self, y):
        total = 0.0
        for t in reversed(self.transforms):
            x = t.inv(y)
            total = total - t.log_abs_det(x, y)
            y = x
        return self.base.log_prob(y) + total


class LogitNormal(TransformedDistribution):
    def __init__(self, loc, scale, eps=1e-6):
        super().__init__(Normal(loc, scale), [SigmoidTransform()], eps)


class LogNormal(TransformedDistribution):
    def __init__(self, loc, scale):
        base = Normal(torch.zeros_like(loc), torch.ones_like(scale))
        super().__init__(base, [AffineTransform(loc, scale), ExpTransform()])


def monte_carlo_kl(q, p, n=8):
    """E_q[log q - log p], pathwise gradient."""
    z = q.rsample((n,))
    return (q.log_prob(z) - p.log_prob(z)).mean(0).sum()
