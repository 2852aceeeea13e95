import math
import torch
import torch.nn as nn
from .layers import ActNorm, AffineCoupling, Flip


class Flow(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x):
        logdet = x.new_zeros(x.size(0))
        for layer in self.layers:
            x, logdet = layer(x, logdet)
        return x, logdet

    def log_prob(self, x):
        z, logdet = self(x)
        prior = -0.5 * (z.pow(2) + math.log(2 * math.pi)).sum(1)
        return prior + logdet

    @torch.no_grad()
    def sample(self, n, dim):
        y = torch.randn(n, dim)
        for layer in reversed(self.layers):
            y = layer.inverse(y)
        return y


def build_flow(dim, n_blocks):
    layers = []
    for _ in range(n_blocks):
        layers += [ActNorm(dim), AffineCoupling(dim), Flip()]
    return Flow(layers)
