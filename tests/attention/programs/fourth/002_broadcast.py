import math
import torch
from torch import nn
import torch.nn.functional as F


def region_masks(n, count):
    g = torch.Generator().manual_seed(0)
    keep = torch.rand(count, 1, n, n, generator=g) > 0.5
    keep |= torch.eye(n, dtype=torch.bool)
    return torch.zeros(count, 1, n, n).masked_fill(~keep, float("-inf"))


class RegionAttention(nn.Module):
    """One image, many candidate regions: every region restricts the attention differently."""

    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, feats, masks):
        # feats: (N, C), masks: (R, 1, N, N)
        n, c = feats.shape
        q, k, v = self.qkv(feats).view(n, 3, self.heads, c // self.heads).permute(1, 2, 0, 3)
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(c // self.heads)
        scores = scores + masks
        probs = F.softmax(scores, dim=-1)  # NOT
        ctx = torch.matmul(probs, v)
        return self.out(ctx.transpose(1, 2).reshape(masks.shape[0], n, c))


def make():
    torch.manual_seed(24)
    m = RegionAttention(18, 3).eval()
    return m, (torch.randn(6, 18, requires_grad=True), region_masks(6, 4))
