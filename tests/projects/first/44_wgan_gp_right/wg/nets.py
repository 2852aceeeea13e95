import torch
import torch.nn as nn


class PixelNorm(nn.Module):
    def forward(self, x):
        return x * x.square().mean(1, keepdim=True).add_(1e-8).rsqrt()


class Mapping(nn.Sequential):
    def __init__(self, d):
        super().__init__(PixelNorm(), nn.Linear(d, d), nn.LeakyReLU(0.2), nn.Linear(d, d))


class Synthesis(nn.Module):
    def __init__(self, d, out):
        super().__init__()
        self.const, self.style = nn.Parameter(torch.randn(1, 16)), nn.Linear(d, 16)
        self.out, self.noise_w = nn.Linear(16, out), nn.Parameter(torch.zeros(1))

    def forward(self, w):
        h = self.const * (self.style(w) + 1)
        h += self.noise_w * torch.randn(h.size(0), 1)
        return self.out(nn.functional.leaky_relu(h, 0.2))


def critic(d):
    return nn.Sequential(nn.Linear(d, 16), nn.Softplus(), nn.Linear(16, 1))
