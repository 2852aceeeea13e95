import torch
from torch import nn


class SeqModel(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.cell = nn.GRUCell(d, h)
        self.out = nn.Linear(h, d)
        self.h0 = nn.Parameter(torch.zeros(h))
        self.state = None

    def reset(self, n):
        self.state = self.h0.expand(n, -1)

    def reset_where(self, done):
        self.state = torch.where(done[:, None], self.h0, self.state)

    def detach_(self):
        self.state = self.state.detach()

    def forward(self, x):
        self.state = self.cell(x, self.state)
        return self.out(self.state)
