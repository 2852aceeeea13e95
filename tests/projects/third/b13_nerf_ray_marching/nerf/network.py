import torch
from torch import nn


class PosEnc(nn.Module):
    def __init__(self, n_freqs):
        super().__init__()
        self.register_buffer('freqs', 2.0 ** torch.arange(n_freqs).float())

    @property
    def out_dim(self):
        return 3 * (1 + 2 * len(self.freqs))

    def forward(self, x):
        xf = (x[..., None] * self.freqs).flatten(-2)
        return torch.cat([x, xf.sin(), xf.cos()], -1)


class TinyNeRF(nn.Module):
    def __init__(self, n_freqs=3, width=32):
        super().__init__()
        self.enc = PosEnc(n_freqs)
        self.body = nn.Sequential(
            nn.Linear(self.enc.out_dim, width), nn.ReLU(inplace=True),
            nn.Linear(width, width), nn.ReLU(inplace=True))
        self.sigma = nn.Linear(width, 1)
        self.rgb = nn.Linear(width, 3)

    def forward(self, pts):
        h = self.body(self.enc(pts))
        return torch.sigmoid(self.rgb(h)), nn.functional.softplus(self.sigma(h).squeeze(-1))
