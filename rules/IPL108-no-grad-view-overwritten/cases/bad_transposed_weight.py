"""A transposed view is prepared under `no_grad` and scaled by a parameter afterwards."""

import torch
from torch import nn


class Tied(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(width))

    def forward(self, table):
        with torch.no_grad():
            columns = table.t()
        columns *= self.scale  # expect: IPL108
        return table.sum()


if __name__ == "__main__":
    Tied(3)(torch.randn(3, 3)).backward()
