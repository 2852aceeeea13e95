import torch
import torch.nn as nn


class LSTMCell(nn.Module):
    def __init__(self, i, h):
        super().__init__()
        self.w = nn.Linear(i + h, 4 * h)

    def forward(self, x, state):
        h, c = state
        i, f, g, o = self.w(torch.cat([x, h], -1)).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        return h, c


class WeightDrop(nn.Module):
    """Drops rows of a weight for each forward (on a copy)."""

    def __init__(self, lin, p):
        super().__init__()
        self.lin, self.p = lin, p

    def forward(self, x):
        w = self.lin.weight.clone()
        if self.training:
            w[torch.rand(w.size(0)) < self.p] = 0
        return nn.functional.linear(x, w, self.lin.bias)
