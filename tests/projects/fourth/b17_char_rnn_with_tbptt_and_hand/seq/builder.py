import torch
import torch.nn as nn

from .cells import CELLS


class CharRNN(nn.Module):
    def __init__(self, vocab, emb, cells, hidden):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.cells = nn.ModuleList(cells)
        self.out = nn.Linear(hidden, vocab)

    def init_state(self, batch):
        return [c.init_state(batch) for c in self.cells]

    def forward(self, ids, state):
        logits = []
        for t in range(ids.size(1)):
            x = self.emb(ids[:, t])
            new = []
            for cell, s in zip(self.cells, state):
                x, s = cell.step(x, s)
                new.append(s)
            state = new
            logits.append(self.out(x))
        return torch.stack(logits, 1), state


def build_model(vocab, cell, layers, hidden, emb):
    dims = [emb] + [hidden] * layers
    cells = [CELLS[cell](a, b) for a, b in zip(dims, dims[1:])]
    return CharRNN(vocab, emb, cells, hidden)
