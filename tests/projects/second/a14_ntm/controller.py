import torch
from torch import nn


class Controller(nn.Module):
    def __init__(self, d_in, width, slots):
        super().__init__()
        self.rnn = nn.GRUCell(d_in + width, width)
        self.addr = nn.Linear(width, slots)
        self.add = nn.Linear(width, width)

    def forward(self, x, r, h):
        h = self.rnn(torch.cat([x, r], -1), h)
        return h, self.addr(h).softmax(-1), self.add(h).tanh()
