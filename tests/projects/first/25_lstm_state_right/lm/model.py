import torch
import torch.nn as nn

from .cells import LSTMCell, WeightDrop


class StatefulLM(nn.Module):
    def __init__(self, vocab, d, batch):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.cell = LSTMCell(d, d)
        self.out = WeightDrop(nn.Linear(d, vocab), 0.2)
        self.register_buffer("h", torch.zeros(batch, d))
        self.register_buffer("c", torch.zeros(batch, d))

    def reset_rows(self, done):
        self.h[done] = 0
        self.c[done] = 0

    def forward(self, x):
        e = self.emb(x)
        state = (self.h.clone(), self.c.clone())
        outs = []
        for t in range(x.size(0)):
            state = self.cell(e[t], state)
            outs.append(state[0])
        self.h.copy_(state[0].detach())
        self.c.copy_(state[1].detach())
        return self.out(torch.stack(outs))
