import torch.nn as nn


def critic(d, h):
    return nn.Sequential(nn.Linear(d, h), nn.LeakyReLU(0.2), nn.Linear(h, h), nn.LeakyReLU(0.2), nn.Linear(h, 1))


def generator(z, d, h):
    return nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, d))
