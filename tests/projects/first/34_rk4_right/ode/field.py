import torch
import torch.nn as nn


class Field(nn.Module):
    def __init__(self, d, h=12):
        super().__init__()
        self.a, self.b = nn.Linear(d + 1, h), nn.Linear(h, d)
        self.calls = torch.zeros(1)

    def forward(self, t, y):
        self.calls += 1
        tt = torch.full_like(y[:, :1], float(t))
        return self.b(torch.tanh_(self.a(torch.cat([y, tt], 1))))
