import math

import torch
from torch import nn


def timestep_embedding(t, dim):
    half = dim // 2
    freqs = torch.exp(-math.log(10000.0) * torch.arange(half) / half)
    a = t[:, None].float() * freqs[None]
    emb = torch.empty(t.size(0), 2 * half)
    emb[:, :half] = a.cos()
    emb[:, half:] = a.sin()
    return emb


class MLPDenoiser(nn.Module):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.inp = nn.Linear(dim, hidden)
        self.temb = nn.Linear(hidden, hidden)
        self.mid = nn.Sequential(nn.SiLU(), nn.Linear(hidden, hidden), nn.SiLU(inplace=True))
        self.out = nn.Linear(hidden, dim)
        self.hidden = hidden

    def forward(self, x, t):
        h = self.inp(x)
        h += self.temb(timestep_embedding(t, self.hidden))
        return self.out(self.mid(h))
