import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self, in_dim=64, hidden=48, z_dim=8):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(in_dim, hidden), nn.ReLU(inplace=True))
        self.mu = nn.Linear(hidden, z_dim)
        self.logvar = nn.Linear(hidden, z_dim)
        self.dec = nn.Sequential(
            nn.Linear(z_dim, hidden), nn.ReLU(inplace=True),
            nn.Linear(hidden, in_dim), nn.Sigmoid())

    def encode(self, x):
        h = self.enc(x)
        std = self.logvar(h).mul_(0.5).exp_()
        return self.mu(h), std

    def reparameterize(self, mu, std):
        eps = torch.empty_like(std).normal_()
        return eps.mul_(std).add_(mu)

    def forward(self, x):
        mu, std = self.encode(x)
        z = self.reparameterize(mu, std)
        return self.dec(z), mu, std
