import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from .build import register


class BayesLinear(nn.Module):
    """Mean-field Gaussian over the weight matrix."""

    def __init__(self, d_in, d_out, prior):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(d_out, d_in) / math.sqrt(d_in))
        self.rho = nn.Parameter(torch.full((d_out, d_in), -4.0))
        self.bias = nn.Parameter(torch.zeros(d_out))
        self.prior = prior

    @property
    def sigma(self):
        return F.softplus(self.rho)

    def kl(self):
        s = self.sigma / self.prior
        return 0.5 * (s.pow(2) + (self.mu / self.prior).pow(2) - 1 - 2 * s.log()).sum()


@register
class Reparam(BayesLinear):
    """Samples the weights; the noise lives in a buffer so it can be frozen for evaluation."""

    def __init__(self, d_in, d_out, prior):
        super().__init__(d_in, d_out, prior)
        self.register_buffer("eps", torch.zeros(d_out, d_in))
        self.frozen = False

    def resample(self):
        if not self.frozen:
            self.eps.normal_()  # BUG
        return self.eps

    def forward(self, x):
        w = self.mu + self.sigma * self.resample()
        return F.linear(x, w, self.bias)


@register
class LocalReparam(BayesLinear):
    """Samples the pre-activations instead."""

    def forward(self, x):
        mean = F.linear(x, self.mu, self.bias)
        var = F.linear(x.pow(2), self.sigma.pow(2))
        return mean + var.clamp(min=1e-8).sqrt() * torch.randn_like(mean)
