"""A table that renormalises the rows it looks up: under a no_grad of its own."""

import torch
import torch.nn.functional as F
from torch import nn


class Table(nn.Module):
    def __init__(self, norm=None):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4, 3))
        self.norm = norm

    def forward(self, x):
        return F.embedding(x, self.weight, None, self.norm)


Table(1.0)(torch.tensor([0, 1])).sum().backward()
