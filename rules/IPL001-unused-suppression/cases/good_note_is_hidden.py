"""The comment silences a note, which is not shown unless it is asked for."""

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        y = self.layer(x)
        return F.silu(y, inplace=True)  # inplace-lint: ignore[IPL301]


Block()(torch.ones(2, 3)).sum().backward()
