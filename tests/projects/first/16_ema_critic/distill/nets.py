import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(o, 16), nn.ReLU(), nn.Linear(16, a))

    def forward(self, o):
        return torch.tanh(self.body(o))


class Value(nn.Module):
    def __init__(self, o, a):
        super().__init__()
        self.l1 = nn.Linear(o + a, 16)
        self.l2 = nn.Linear(16, 1)

    def forward(self, o, a):
        return self.l2(torch.relu(self.l1(torch.cat([o, a], -1)))).squeeze(-1)
