import torch
from torch import nn


class LengthRegulator(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.pred = nn.Linear(d, 1)

    def log_duration(self, x, mask):
        out = self.pred(x).squeeze(-1)
        return out.masked_fill_(~mask, 0.0)

    def forward(self, x, mask, dur):
        rep = [e.repeat_interleave(d, dim=0) for e, d in zip(x, dur)]
        return nn.utils.rnn.pad_sequence(rep, batch_first=True), self.log_duration(x, mask)
