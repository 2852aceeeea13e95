"""Objects whose forward adds to what it is given: it comes back under the same name, or nobody else holds it."""

import torch
from torch import nn


class Leak(nn.Module):
    def forward(self, drive, state):
        state.mul_(0.5).add_(drive)
        return state


class Shift(nn.Module):
    def forward(self, x):
        x += 1
        return x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Leak()
        self.shifts = nn.ModuleList([Shift(), Shift()])

    def forward(self, steps):
        state = torch.zeros_like(steps[0])
        for drive in steps:
            state = self.cell(drive, state)
        for shift in self.shifts:
            state = shift(state * 2)
        return state


x = torch.ones(3, 4)
Net()(x)
changed = not torch.equal(x, torch.ones(3, 4))
