import torch
import torch.nn as nn

CELLS = {}


def cell(name):
    def wrap(c):
        CELLS[name] = c
        return c
    return wrap


@cell("gru")
class GRUCell(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.x2h = nn.Linear(d_in, 3 * d_h)
        self.h2h = nn.Linear(d_h, 3 * d_h)

    def forward(self, x, h):
        xr, xz, xn = self.x2h(x).chunk(3, -1)
        hr, hz, hn = self.h2h(h).chunk(3, -1)
        r = torch.sigmoid(xr + hr)
        z = torch.sigmoid(xz + hz)
        n = torch.tanh(xn + r * hn)
        return (1 - z) * n + z * h


class LanguageModel(nn.Module):
    """Keeps its own hidden state between the batches (stateful)."""

    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.vocab, cfg.emb)
        self.cell = CELLS[cfg.cell](cfg.emb, cfg.hidden)
        self.out = nn.Linear(cfg.hidden, cfg.vocab)
        self.hidden_size = cfg.hidden
        self.state = None

    def reset(self):
        self.state = None

    def forward(self, tokens):
        e = self.emb(tokens)
        h = self.state
        if h is None:
            h = e.new_zeros(tokens.size(1), self.hidden_size)
        outs = []
        for t in range(e.size(0)):
            h = self.cell(e[t], h)
            outs.append(h)
        self.state = h
        return self.out(torch.stack(outs))
