"""What saves the state is only known where the file is run as a program: there a field is made and handed over."""

import torch
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)

    def forward(self, t, z):
        return torch.tanh(self.lin(z)) * t


def flow(field, z, times):
    z = z.clone()
    for before, after in zip(times[:-1], times[1:]):
        z = z + ((after - before) * field(before, z))
    return z


def fit(field, z):
    loss = flow(field, z, torch.linspace(0, 1, 4)).abs().mean()
    loss.backward()


if __name__ == "__main__":
    fit(Field(), torch.randn(3, 2))
