"""Activations are kept in a dict and taken by name; the usual one works in place on what a sigmoid saved."""

import torch
from torch import nn

ACTIVATIONS = {"relu": lambda: nn.ReLU(), "gelu": nn.GELU}


def activation(name):
    return ACTIVATIONS[name]()


class Gate(nn.Module):
    def __init__(self, size, act="relu"):
        super().__init__()
        self.lin = nn.Linear(size, size)
        self.act = activation(act)

    def forward(self, x):
        gate = torch.sigmoid(self.lin(x))
        gate = self.act(gate)
        return x * gate


Gate(3)(torch.rand(2, 3)).sum().backward()
