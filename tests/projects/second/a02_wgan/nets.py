from torch import nn


def mlp(sizes, act=nn.LeakyReLU):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(act(0.2))
    return nn.Sequential(*layers)


class Generator(nn.Module):
    def __init__(self, z_dim, x_dim, hidden=32):
        super().__init__()
        self.z_dim = z_dim
        self.net = mlp([z_dim, hidden, x_dim])

    def forward(self, z):
        return self.net(z)


class Critic(nn.Module):
    def __init__(self, x_dim, hidden=32):
        super().__init__()
        self.net = mlp([x_dim, hidden, 1])

    def forward(self, x):
        return self.net(x).squeeze(-1)
