from torch import nn
import torch.nn.functional as F

from .norm import SpectralLinear


class Discriminator(nn.Module):
    def __init__(self, d, h=16):
        super().__init__()
        self.l1, self.l2 = SpectralLinear(d, h), SpectralLinear(h, 1)

    def forward(self, x):
        return self.l2(F.leaky_relu(self.l1(x), 0.2)).squeeze(-1)

    def hinge(self, real, fake):
        return F.relu(1 - self(real)).mean() + F.relu(1 + self(fake)).mean()
