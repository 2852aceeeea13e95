"""The tensor is filled first and becomes a parameter afterwards."""

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        table = torch.zeros(length, width)
        angle = torch.arange(length).unsqueeze(1) / 10.0
        table[:, 0::2] = torch.sin(angle)
        table[:, 1::2] = torch.cos(angle)
        self.table = nn.Parameter(table)

    def forward(self, x):
        return x + self.table


if __name__ == "__main__":
    Positions(3, 4)(torch.randn(2, 3, 4)).sum().backward()
