import torch.nn as nn


class SoftVQAutoencoder(nn.Module):
    def __init__(self, dim, latent, quantizer):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(dim, 24), nn.SiLU(inplace=False), nn.Linear(24, latent))
        self.quantizer = quantizer
        self.dec = nn.Sequential(nn.Linear(latent, 24), nn.ReLU(inplace=True), nn.Linear(24, dim))

    def forward(self, x):
        out = self.quantizer(self.enc(x))
        out["recon"] = self.dec(out["st"])
        out["x"] = x
        return out
