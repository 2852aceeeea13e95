"""The layer's result has a name of its own, and the shortcut reads what the layer was given: both are activated."""

import torch
from torch import nn


class Unit(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.fc1 = nn.Linear(width, width)
        self.fc2 = nn.Linear(width, width)

    def forward(self, x):
        out = self.act(x)
        out = self.fc1(out)
        out = self.act(out)
        return self.fc2(out) + x  # expect: IPL204


class Chain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(width, width))

    def forward(self, x):
        out = self.layers(x)
        out += x  # expect: IPL204
        return out


class Outer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.chain = Chain(width)

    def forward(self, x):
        inner = self.chain(x)
        return torch.cat([x, inner])  # expect: IPL204


if __name__ == "__main__":
    unit, chain, outer = Unit(4), Chain(4), Outer(4)
    x = torch.randn(2, 4)
    assert not torch.allclose(chain(x.clone()), chain.layers(x.clone()) + x)
    assert not torch.allclose(outer(x.clone())[:2], x)
    wanted = unit.fc2(unit.fc1(x.relu()).relu()) + x
    assert not torch.allclose(unit(x.clone()), wanted)
