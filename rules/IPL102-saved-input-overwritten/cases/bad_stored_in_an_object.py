"""What is stored in an object is still there if nobody asks the object to do anything."""

from types import SimpleNamespace

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, graph, x, norm):
        graph.state = x
        y = self.project(x)
        h = graph.state
        h += norm  # expect: IPL102
        return h + x + y


layer = Layer(4)
x = torch.randn(3, 4, requires_grad=True)
layer(SimpleNamespace(), x * 2, 0.5).sum().backward()
