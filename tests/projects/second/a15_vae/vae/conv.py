from torch import nn

from .base import BaseVAE


class LinearVAE(BaseVAE):
    def __init__(self, d=12, z=3):
        super().__init__()
        self.enc = nn.Linear(d, 2 * z)
        self.dec = nn.Sequential(nn.Linear(z, 16), nn.ELU(), nn.Linear(16, d))

    def encode(self, x):
        return self.enc(x).chunk(2, -1)

    def decode(self, z):
        return self.dec(z).sigmoid()
