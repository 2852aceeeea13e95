import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d, n=64):
        super().__init__()
        pe = torch.zeros(n, d)
        pos = torch.arange(n).unsqueeze(1).float()
        div = torch.exp(torch.arange(0, d, 2).float() * (-math.log(1e4) / d))
        pe[:, 0::2] = torch.sin(pos * div)
        pe[:, 1::2] = torch.cos(pos * div)
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x * math.sqrt(x.size(-1))
        x += self.pe[: x.size(1)]
        return x


class Decoder(nn.Module):
    def __init__(self, vocab, d=16, pad=0):
        super().__init__()
        self.pad = pad
        self.emb, self.pe = nn.Embedding(vocab, d), PositionalEncoding(d)
        self.layer = nn.TransformerEncoderLayer(d, 2, 32, dropout=0.0, batch_first=True)
        self.out = nn.Linear(d, vocab, bias=False)
        self.out.weight = self.emb.weight
        self.reset()

    def reset(self):
        nn.init.normal_(self.emb.weight, std=0.05)
        with torch.no_grad():
            self.emb.weight[self.pad].fill_(0)

    def renorm(self, max_norm=1.0):
        with torch.no_grad():
            n = self.emb.weight.norm(dim=1, keepdim=True).clamp_(min=1e-8)
            self.emb.weight.mul_((max_norm / n).clamp_(max=1.0))
            self.emb.weight[self.pad] = 0

    def forward(self, x):
        n = x.size(1)
        mask = torch.zeros(n, n)
        mask.masked_fill_(torch.ones(n, n).triu(1).bool(), float("-inf"))
        h = self.layer(self.pe(self.emb(x)), src_mask=mask)
        logits = self.out(h)
        logits[..., self.pad] = -1e4
        return logits
