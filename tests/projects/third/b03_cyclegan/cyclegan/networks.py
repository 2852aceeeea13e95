import torch.nn as nn


class ResnetBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(dim, dim, 3, padding=1), nn.InstanceNorm2d(dim), nn.ReLU(True),
            nn.Conv2d(dim, dim, 3, padding=1), nn.InstanceNorm2d(dim))

    def forward(self, x):
        return x + self.conv(x)


def define_G(ngf=8, n_blocks=1):
    layers = [nn.Conv2d(3, ngf, 3, padding=1), nn.InstanceNorm2d(ngf), nn.ReLU(True)]
    layers += [ResnetBlock(ngf) for _ in range(n_blocks)]
    layers += [nn.Conv2d(ngf, 3, 3, padding=1), nn.Tanh()]
    return nn.Sequential(*layers)


def define_D(ndf=8):
    return nn.Sequential(
        nn.Conv2d(3, ndf, 4, 2, 1), nn.LeakyReLU(0.2, True),
        nn.Conv2d(ndf, ndf * 2, 4, 2, 1), nn.InstanceNorm2d(ndf * 2), nn.LeakyReLU(0.2, True),
        nn.Conv2d(ndf * 2, 1, 3, 1, 1))
