from torch import nn


def G(z, d):
    return nn.Sequential(nn.Linear(z, 16), nn.BatchNorm1d(16), nn.ReLU(True), nn.Linear(16, d), nn.Tanh())


def D(d):
    return nn.Sequential(nn.Linear(d, 16), nn.LeakyReLU(0.2, True), nn.Linear(16, 1), nn.Flatten(0))
