"""A canvas is flattened under `no_grad`, then features are added to it."""

import torch
from torch import nn


def paint(features, index, size):
    canvas = torch.zeros(size, size)
    with torch.no_grad():
        flat = canvas.view(-1)
    flat.index_add_(0, index, features)  # expect: IPL108
    return canvas


if __name__ == "__main__":
    net = nn.Linear(2, 1)
    features = net(torch.randn(4, 2)).squeeze(-1)
    paint(features, torch.tensor([0, 3, 3, 8]), 3).square().sum().backward()
