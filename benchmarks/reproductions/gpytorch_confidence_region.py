"""gpytorch 1.15.2, distributions/multivariate_normal.py:129: `confidence_region` doubles in place what sqrt saved.

`stddev` is a property that returns `self.variance.sqrt()`, that very tensor. Raises for whoever trains
through the bounds, as for a loss on the width of the band.
"""

import torch


class MultivariateNormal:
    def __init__(self, mean, variance):
        self.mean, self.variance = mean, variance

    @property
    def stddev(self):
        return self.variance.sqrt()

    def confidence_region(self):
        std2 = self.stddev.mul_(2)
        mean = self.mean
        return mean.sub(std2), mean.add(std2)


mean = torch.randn(4, requires_grad=True)
variance = torch.rand(4).add(0.1).requires_grad_()
lower, upper = MultivariateNormal(mean, variance).confidence_region()
try:
    (upper - lower).sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
