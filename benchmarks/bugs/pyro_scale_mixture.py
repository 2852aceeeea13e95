"""The log probability of a GaussianScaleMixture has no gradient."""

import torch
from pyro.distributions import GaussianScaleMixture

scale = torch.ones(3, requires_grad=True)
mixture = GaussianScaleMixture(scale, torch.zeros(2), torch.tensor([1.0, 2.0]))
mixture.log_prob(torch.randn(3)).backward()
