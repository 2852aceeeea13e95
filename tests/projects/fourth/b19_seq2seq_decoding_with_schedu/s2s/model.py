import torch
import torch.nn as nn


class Seq2Seq(nn.Module):
    def __init__(self, vocab, width):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.enc = nn.GRU(width, width, batch_first=True)
        self.cell = nn.GRUCell(width, width)
        self.att = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(2 * width, vocab)

    def encode(self, src):
        mem, h = self.enc(self.emb(src))
        return mem, h[0]

    def step(self, token, h, mem):
        h = self.cell(self.emb(token), h)
        score = (mem @ self.att(h).unsqueeze(-1)).squeeze(-1)
        ctx = (score.softmax(1).unsqueeze(-1) * mem).sum(1)
        return self.out(torch.cat([h, ctx], 1)), h
