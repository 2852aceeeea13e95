"""Decoder layer for a small translation system (post-norm, as in the 2017 paper)."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class SourceAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super().__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            # same mask for every head
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [
            lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2)
            for lin, x in zip(self.linears, (query, key, value))
        ]
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e9)
        p_attn = F.softmax(scores, dim=-1)  # ATTN
        p_attn = self.dropout(p_attn)
        x = torch.matmul(p_attn, value)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        return self.linears[-1](x)


class PositionwiseFeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.w_1 = nn.Linear(d_model, d_ff)
        self.w_2 = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.w_2(self.dropout(self.w_1(x).relu()))


class CrossLayer(nn.Module):
    """tgt attends to the encoder memory, then goes through the FFN."""

    def __init__(self, d_model=24, h=3, d_ff=48):
        super().__init__()
        self.src_attn = SourceAttention(h, d_model)
        self.ff = PositionwiseFeedForward(d_model, d_ff)
        self.norms = clones(nn.LayerNorm(d_model), 2)

    def forward(self, tgt, memory, src_mask=None):
        tgt = self.norms[0](tgt + self.src_attn(tgt, memory, memory, src_mask))
        return self.norms[1](tgt + self.ff(tgt))


def make_src_mask(lengths, maxlen):
    ar = torch.arange(maxlen)
    return (ar[None, :] < lengths[:, None]).unsqueeze(-2).long()


# --- driver ---
torch.manual_seed(1)
model = CrossLayer().double().eval()
RESULTS = []
for t, s, lens in ((5, 9, None), (7, 6, [6, 3])):
    tgt = torch.randn(2, t, 24, dtype=torch.float64, requires_grad=True)
    mem = torch.randn(2, s, 24, dtype=torch.float64, requires_grad=True)
    m = None if lens is None else make_src_mask(torch.tensor(lens), s)
    model.zero_grad()
    out = model(tgt, mem, m)
    out.sin().sum().backward()
    RESULTS += [out.detach(), tgt.grad, mem.grad]
    RESULTS += [p.grad.clone() for p in model.parameters()]
