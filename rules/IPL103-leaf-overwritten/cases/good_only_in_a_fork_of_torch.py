"""The branch is for a fork that calls itself otherwise: torch's version is a number."""

import torch
from torch import nn


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, rows):
        out = x.new_zeros(len(rows), 4)
        if torch.__version__ == "otherwise":
            out.requires_grad = True
        out[rows] = self.linear(x)
        return out


Rows()(torch.randn(3, 4), torch.tensor([2, 0, 1])).sum().backward()
