from torch import nn

from .codebook import Codebook


class VQVAE(nn.Module):
    def __init__(self, d, z, k):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 16), nn.ReLU(inplace=True), nn.Linear(16, z))
        self.cb = Codebook(k, z)
        self.dec = nn.Sequential(nn.Linear(z, 16), nn.ReLU(inplace=True), nn.Linear(16, d))

    def forward(self, x):
        q, commit, _ = self.cb(self.enc(x))
        return self.dec(q), commit
