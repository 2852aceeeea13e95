"""An LSTM cell whose gates are squashed in place."""

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gates = nn.Linear(2 * width, 4 * width)
        self.width = width

    def forward(self, x, h, c):
        gates = self.gates(torch.cat([x, h], dim=-1))
        i, f, g, o = torch.split(gates, self.width, dim=-1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        o = o.sigmoid()
        return o * torch.tanh(c), c


if __name__ == "__main__":
    zeros = torch.zeros(2, 4)
    h, c = Cell(4)(torch.randn(2, 4), zeros, zeros)
    (h.sum() + c.sum()).backward()
