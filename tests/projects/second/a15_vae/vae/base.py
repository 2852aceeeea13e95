import torch
from torch import nn


class BaseVAE(nn.Module):
    def encode(self, x):
        raise NotImplementedError

    def decode(self, z):
        raise NotImplementedError

    def sample(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return eps.mul_(std).add_(mu)

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decode(self.sample(mu, logvar)), mu, logvar
