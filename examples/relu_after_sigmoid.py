"""A sigmoid keeps its result, and the in-place ReLU behind it writes there."""

import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Linear(width, width)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        gate = torch.sigmoid(self.proj(x))
        return self.act(gate) * x


net = Gate(4)
y = net(torch.rand(2, 4))
print("forward runs:", tuple(y.shape))
try:
    y.sum().backward()
except RuntimeError as error:
    print("backward raises:", error)
