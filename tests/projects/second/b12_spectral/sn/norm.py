import torch
import torch.nn.functional as F
from torch import nn

from .power import power_iteration


class SpectralLinear(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) * 0.1)
        self.bias = nn.Parameter(torch.zeros(n_out))
        self.register_buffer("u", F.normalize(torch.randn(n_out), dim=0))

    def forward(self, x):
        v = power_iteration(self.weight, self.u)
        sigma = torch.dot(self.u, self.weight @ v)
        return F.linear(x, self.weight / sigma, self.bias)
