import math
import torch
import torch.nn as nn


class RNNCellBase(nn.Module):
    n_gates = 1

    def __init__(self, input_size, hidden_size, bias=True):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.x2h = nn.Linear(input_size, self.n_gates * hidden_size, bias=bias)
        self.h2h = nn.Linear(hidden_size, self.n_gates * hidden_size, bias=bias)
        self.reset_parameters()

    def reset_parameters(self):
        std = 1.0 / math.sqrt(self.hidden_size)
        for w in self.parameters():
            w.data.uniform_(-std, std)

    def preact(self, x, h):
        z = self.x2h(x)
        z += self.h2h(h)
        return z


class LSTMCell(RNNCellBase):
    n_gates = 4

    def forward(self, x, state):
        h, c = state
        i, f, g, o = self.preact(x, h).chunk(self.n_gates, 1)
        for gate in (i, f, o):
            gate.sigmoid_()  # BUG
        g.tanh_()
        c = f * c + i * g
        h = o * torch.tanh(c)
        return h, c


class GRUCell(RNNCellBase):
    n_gates = 3

    def forward(self, x, state):
        h = state
        xr, xz, xn = self.x2h(x).chunk(3, 1)
        hr, hz, hn = self.h2h(h).chunk(3, 1)
        r = torch.sigmoid(xr + hr)
        z = torch.sigmoid(xz + hz)
        n = torch.tanh(xn + r * hn)
        return (1 - z) * n + z * h


CELLS = {'lstm': LSTMCell, 'gru': GRUCell}
