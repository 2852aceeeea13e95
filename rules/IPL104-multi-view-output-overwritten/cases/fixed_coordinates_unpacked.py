"""Unpacking a tensor iterates over it."""

import torch
from torch import nn


def shift_boxes(points, width, height):
    x, y = points
    x = x / width
    return torch.stack([x, y / height], dim=-1)


if __name__ == "__main__":
    net = nn.Linear(3, 5)
    shift_boxes(net(torch.randn(2, 3)), 640.0, 480.0).sum().backward()
