import torch
import torch.nn.functional as F


class Transform:
    """Bijection with a one element cache of the last (x, y)."""

    def __init__(self, cache_size=0):
        self._cache_size = cache_size
        self._cached = None, None

    def __call__(self, x):
        if self._cache_size and self._cached[0] is x:
            return self._cached[1]
        y = self._call(x)
        if self._cache_size:
            self._cached = x, y
        return y

    def inv(self, y):
        if self._cache_size and self._cached[1] is y:
            return self._cached[0]
        return self._inverse(y)


class ExpTransform(Transform):
    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det(self, x, y):
        return x


class SigmoidTransform(Transform):
    def _call(self, x):
        return torch.sigmoid(x)

    def _inverse(self, y):
        return y.log() - (-y).log1p_()

    def log_abs_det(self, x, y):
        return -F.softplus(-x) - F.softplus(x)


class AffineTransform(Transform):
    def __init__(self, loc, scale, cache_size=0):
        super().__init__(cache_size)
        self.loc, self.scale = loc, scale

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det(self, x, y):
        return self.scale.abs().log().expand_as(x)
