"""A loss on a confidence region has no gradient."""

import torch
from gpytorch.distributions import MultivariateNormal

covariance = torch.eye(3).mul(2).requires_grad_()
lower, upper = MultivariateNormal(torch.zeros(3), covariance).confidence_region()
(upper - lower).sum().backward()
