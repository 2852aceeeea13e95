import math
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, hidden, heads, drop=0.2):
        super().__init__()
        self.heads = heads
        self.head_dim = hidden // heads
        self.query = nn.Linear(hidden, hidden)
        self.key = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, hidden)
        self.dropout = nn.Dropout(drop)
        self.dense = nn.Linear(hidden, hidden)

    def forward(self, x, mask=None):
        bsz, seq, hidden = x.shape
        q = self.query(x).view(bsz, seq, self.heads, self.head_dim).transpose(1, 2)
        k = self.key(x).view(bsz, seq, self.heads, self.head_dim).transpose(1, 2)
        v = self.value(x).view(bsz, seq, self.heads, self.head_dim).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores + mask
        scores = self.dropout(scores)
        probs = torch.softmax(scores, dim=-1)  # NOT
        out = torch.matmul(probs, v)
        out = out.transpose(1, 2).contiguous().view(bsz, seq, hidden)
        return self.dense(out)


def make():
    torch.manual_seed(11)
    m = Attention(24, 4).train()
    mask = torch.zeros(2, 1, 1, 6)
    mask[1, ..., 4:] = -10000.0
    return m, (torch.randn(2, 6, 24, requires_grad=True), mask)
