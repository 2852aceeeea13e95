"""What a layer was given is read as activated by that name, before the change, or only after it was bound anew."""

import torch
from torch import nn


class Unit(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.fc = nn.Linear(width, width)
        self.down = nn.Linear(width, width)
        self.layers = nn.ModuleList(nn.Sequential(nn.ReLU(inplace=True), nn.Linear(width, width)) for _ in range(2))

    def activated(self, x):
        x = self.act(x)
        out = self.fc(x)
        return out + x

    def unnamed(self, x):
        self.act(x)
        out = self.fc(x)
        return out + x

    def before(self, x):
        shortcut = x * 2
        out = self.act(x)
        return self.fc(out) + shortcut

    def anew(self, x):
        out = self.act(x)
        x = self.down(out)
        return self.fc(out) + x

    def in_turn(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

    def forward(self, x):
        return self.activated(x.clone()) + self.unnamed(x.clone()) + self.before(x.clone()) + self.anew(x.clone())


if __name__ == "__main__":
    unit = Unit(4)
    x = torch.randn(2, 4)
    assert torch.allclose(unit.activated(x.clone()), unit.fc(x.relu()) + x.relu())
    assert torch.allclose(unit.unnamed(x.clone()), unit.fc(x.relu()) + x.relu())
    assert torch.allclose(unit.before(x.clone()), unit.fc(x.relu()) + x * 2)
    first, second = (layer[1] for layer in unit.layers)
    assert torch.allclose(unit.in_turn(x.clone()), second(first(x.relu()).relu()))
    assert torch.allclose(unit.anew(x.clone()), unit.fc(x.relu()) + unit.down(x.relu()))
