import torch.nn.functional as F
from torch import nn


class GEGLU(nn.Module):
    def forward(self, x):
        a, g = x.chunk(2, -1)
        return a.mul_(F.gelu(g))  # BUG


class FeedForward(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.up = nn.Linear(d, 4 * d)
        self.act = GEGLU()
        self.down = nn.Linear(2 * d, d)

    def forward(self, x):
        h = self.up(x)
        return self.down(self.act(h)) + h.pow(2).mean() * 0
