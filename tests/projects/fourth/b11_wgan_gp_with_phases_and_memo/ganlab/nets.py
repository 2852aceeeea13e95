import torch
import torch.nn as nn


class Generator(nn.Module):
    def __init__(self, z_dim, x_dim, width=24):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(z_dim, width), nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(width, width), nn.LeakyReLU(0.2, inplace=True),
            nn.Linear(width, x_dim))

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    def __init__(self, x_dim, width=24):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(x_dim, width), nn.Softplus(), nn.Linear(width, width), nn.Softplus(), nn.Linear(width, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)
