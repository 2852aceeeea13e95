import torch
from torch import nn

from .cell import MinimalCell


class CharModel(nn.Module):
    def __init__(self, vocab, width, layers):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.cells = nn.ModuleList(MinimalCell(width, width) for _ in range(layers))
        self.out = nn.Linear(width, vocab)

    def step(self, tok, state, keep):
        x = self.embed(tok)
        for i, cell in enumerate(self.cells):
            h = cell(x, state.get(i))
            x = h
            logits = self.out(h)
            state.put(i, h, keep)
        return logits

    def forward(self, tokens, state, keep):
        return torch.stack([self.step(tokens[:, t], state, keep[:, t]) for t in range(tokens.size(1))], dim=1)
