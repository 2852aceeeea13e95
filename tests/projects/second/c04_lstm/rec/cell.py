import torch
from torch import nn


class LSTMCell(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.x = nn.Linear(d, 4 * h)
        self.h = nn.Linear(h, 4 * h, bias=False)

    def forward(self, x, state):
        h, c = state
        gates = self.x(x)
        gates += self.h(h)
        i, f, g, o = gates.split(gates.size(-1) // 4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c
