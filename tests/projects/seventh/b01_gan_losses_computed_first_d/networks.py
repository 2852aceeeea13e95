import torch
import torch.nn as nn
import torch.nn.functional as F


class Generator(nn.Module):
    def __init__(self, nz=16, ngf=32, out_dim=28 * 2):
        super(Generator, self).__init__()
        self.fc1 = nn.Linear(nz, ngf)
        self.bn1 = nn.BatchNorm1d(ngf)
        self.fc2 = nn.Linear(ngf, out_dim)

    def forward(self, z):
        h = F.relu(self.bn1(self.fc1(z)))
        return torch.tanh(self.fc2(h))


class Discriminator(nn.Module):
    def __init__(self, in_dim=28 * 2, ndf=32):
        super(Discriminator, self).__init__()
        self.fc1 = nn.Linear(in_dim, ndf)
        self.fc2 = nn.Linear(ndf, 1)

    def forward(self, x):
        h = F.leaky_relu(self.fc1(x), 0.2)
        return torch.sigmoid(self.fc2(h))
