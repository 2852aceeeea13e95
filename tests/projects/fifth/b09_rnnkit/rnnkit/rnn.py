import torch
import torch.nn as nn

from .cells import CELLS


class RNN(nn.Module):
    """Batch-first stacked RNN.

    rnn_type: 'gru' or 'lstm'
    bidirectional: doubles the output size.
    """

    def __init__(self, input_size, hidden_size, num_layers=1, rnn_type="lstm", bidirectional=False, **cell_kwargs):
        super(RNN, self).__init__()
        cell = CELLS[rnn_type]
        self.dirs = 2 if bidirectional else 1
        self.layers = nn.ModuleList()
        for i in range(num_layers):
            size = input_size if i == 0 else hidden_size * self.dirs
            self.layers.append(nn.ModuleList([cell(size, hidden_size, **cell_kwargs) for _ in range(self.dirs)]))

    @staticmethod
    def scan(cell, x, reverse):
        state = cell.init_state(x)
        steps = range(x.size(1))
        outs = [None] * x.size(1)
        for t in (reversed(steps) if reverse else steps):
            state = cell(x[:, t], state)
            outs[t] = cell.output(state)
        return torch.stack(outs, 1)

    def forward(self, x, lengths=None):
        for layer in self.layers:
            x = torch.cat([self.scan(c, x, bool(d)) for d, c in enumerate(layer)], -1)
        if lengths is not None:
            pad = torch.arange(x.size(1))[None, :] >= lengths[:, None]
            x.masked_fill_(pad[..., None], 0.0)
        return x
