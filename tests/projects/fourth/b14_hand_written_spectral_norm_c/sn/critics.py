import torch
import torch.nn as nn
import torch.nn.functional as F

from .mixins import PowerIterationMixin, WeightStatsMixin


class PlainLinear(WeightStatsMixin, nn.Linear):
    pass


class SpectralLinear(PowerIterationMixin, WeightStatsMixin, nn.Linear):
    def __init__(self, d_in, d_out, n_power=1):
        super().__init__(d_in, d_out)
        self.n_power = n_power
        self.init_power()

    def matrix(self):
        return self.weight

    def forward(self, x):
        return F.linear(x, self.weight / self.sigma(), self.bias)


class Critic(nn.Module):
    def __init__(self, make, width, d_in=2):
        super().__init__()
        self.layers = nn.ModuleList([make(d_in, width), make(width, width), make(width, 1)])

    def forward(self, x):
        for l in self.layers[:-1]:
            x = F.leaky_relu_(l(x), 0.1)
        return self.layers[-1](x).squeeze(1)


def build_critic(exp):
    if exp.critic == "spectral":
        return Critic(lambda a, b: SpectralLinear(a, b, exp.power_iters), exp.width)
    return Critic(PlainLinear, exp.width)
