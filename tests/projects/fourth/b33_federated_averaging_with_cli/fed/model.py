import torch.nn as nn


def make_model(dim, width=12):
    return nn.Sequential(nn.Linear(dim, width), nn.ReLU(inplace=True), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))
