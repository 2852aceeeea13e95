"""A list whose first place holds no layer, so that the steps count from 1."""

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x, prior):
        return self.lin(x) * prior


class Steps(nn.Module):
    def __init__(self, steps=1):
        super().__init__()
        self.steps = steps
        self.layers = nn.ModuleList([None])
        for _ in range(steps):
            self.layers.append(Layer())

    def forward(self, x):
        prior = torch.ones_like(x)
        total = 0
        for step in range(1, self.steps + 1):
            mask = self.layers[step](x, prior)
            prior = prior * (1.5 - mask)
            total = total + mask.sum()
        return total


def main():
    Steps(2)(torch.randn(2, 3)).backward()


if __name__ == "__main__":
    main()
