# Recurrent cells written out, so that variants are easy to try.
import math

import torch
import torch.nn as nn


class RNNCellBase(nn.Module):
    n_gates = 1

    def __init__(self, input_size, hidden_size, bias=True):
        super(RNNCellBase, self).__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.ih = nn.Linear(input_size, self.n_gates * hidden_size, bias=bias)
        self.hh = nn.Linear(hidden_size, self.n_gates * hidden_size, bias=False)
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1.0 / math.sqrt(self.hidden_size)
        for p in self.parameters():
            p.data.uniform_(-stdv, stdv)

    def init_state(self, x):
        return x.new_zeros(x.size(0), self.hidden_size)

    def output(self, state):
        return state


class GRUCell(RNNCellBase):
    n_gates = 3

    def forward(self, x, h):
        xr, xz, xn = self.ih(x).chunk(3, 1)
        hr, hz, hn = self.hh(h).chunk(3, 1)
        r = (xr + hr).sigmoid_()
        z = (xz + hz).sigmoid_()
        n = (xn + r * hn).tanh_()
        return n + z * (h - n)


class LSTMCell(RNNCellBase):
    n_gates = 4

    def __init__(self, input_size, hidden_size, bias=True, forget_bias=1.0):
        self.forget_bias = forget_bias
        super(LSTMCell, self).__init__(input_size, hidden_size, bias)

    def init_state(self, x):
        z = super(LSTMCell, self).init_state(x)
        return z, z.clone()

    def output(self, state):
        return state[0]

    def forward(self, x, state):
        h, c = state
        gates = self.ih(x)
        gates += self.hh(h)
        i, f, g, o = gates.chunk(4, 1)
        f += self.forget_bias  # BUG
        i, f, o = torch.sigmoid(i), torch.sigmoid(f), torch.sigmoid(o)
        c = f * c + i * torch.tanh(g)
        return o * torch.tanh(c), c


CELLS = {"gru": GRUCell, "lstm": LSTMCell}
