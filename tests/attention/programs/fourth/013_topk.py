import torch
from torch import nn
import torch.nn.functional as F


def topk_filter(scores, k):
    k = min(k, scores.size(-1))
    kth = scores.topk(k, dim=-1).values[..., -1:]
    return scores.masked_fill(scores < kth, float("-inf"))


class SparseSelfAttention(nn.Module):
    def __init__(self, dim, heads, sparse_topk=4, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.sparse_topk = sparse_topk
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, pad_mask=None):
        b, n, d = x.shape
        q, k, v = self.qkv(x).chunk(3, -1)
        q, k, v = [t.view(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v)]
        scores = (q @ k.transpose(-1, -2)) * q.size(-1) ** -0.5
        if pad_mask is not None:
            scores = scores.masked_fill(pad_mask[:, None, None, :], torch.finfo(scores.dtype).min)
        scores = topk_filter(scores, self.sparse_topk)
        attn = self.dropout(F.softmax(scores, dim=-1))  # NOT
        y = attn @ v
        return self.out(y.transpose(1, 2).reshape(b, n, d))


def make():
    torch.manual_seed(6)
    m = SparseSelfAttention(24, 3).eval()
    pad = torch.zeros(2, 10, dtype=torch.bool)
    pad[0, 8:] = True
    return m, (torch.randn(2, 10, 24, requires_grad=True), pad)
