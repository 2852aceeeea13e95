import torch
import torch.nn as nn


class LinkDecoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.src, self.dst = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.out = nn.Linear(dim, 1)

    def forward(self, a, b):
        h = self.src(a)
        h += self.dst(b)
        return self.out(h.relu_()).squeeze(-1)


class TimeEncode(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(1, dim)

    def forward(self, dt):
        return self.w(dt.unsqueeze(1)).cos()
