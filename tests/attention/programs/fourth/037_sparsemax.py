import math
import torch
from torch import nn


def sparsemax(z, dim=-1):
    z = z - z.max(dim=dim, keepdim=True).values
    zs, _ = torch.sort(z, dim=dim, descending=True)
    rng = torch.arange(1, z.size(dim) + 1, dtype=z.dtype, device=z.device)
    csum = zs.cumsum(dim)
    support = (1 + rng * zs > csum)
    k = support.sum(dim=dim, keepdim=True)
    tau = (csum.gather(dim, k - 1) - 1) / k.to(z.dtype)
    return torch.clamp(z - tau, min=0)


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, heads, normalizer=sparsemax):
        super().__init__()
        self.heads = heads
        self.softmax = normalizer
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, dim)
        self.wv = nn.Linear(dim, dim)
        self.fc = nn.Linear(dim, dim)

    def forward(self, query, key, value, mask=None):
        b, n, d = query.shape
        q = self.wq(query).view(b, n, self.heads, -1).transpose(1, 2)
        k = self.wk(key).view(b, key.size(1), self.heads, -1).transpose(1, 2)
        v = self.wv(value).view(b, value.size(1), self.heads, -1).transpose(1, 2)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = scores.masked_fill(mask == 0, -1e4)
        attn = self.softmax(scores, dim=-1)  # NOT
        out = torch.matmul(attn, v)
        return self.fc(out.transpose(1, 2).contiguous().view(b, n, d))


def make():
    torch.manual_seed(9)
    m = MultiHeadAttention(24, 3).eval()
    q = torch.randn(2, 5, 24, requires_grad=True)
    kv = torch.randn(2, 8, 24, requires_grad=True)
    mask = torch.ones(2, 1, 1, 8)
    mask[1, ..., 6:] = 0
    return m, (q, kv, kv, mask)
