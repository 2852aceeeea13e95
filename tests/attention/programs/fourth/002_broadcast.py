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

# --- driver ---
import torch

module, inputs = make()
if isinstance(module, torch.nn.Module):
    module.eval()
inputs = tuple(
    one.detach().requires_grad_(one.is_floating_point()) if isinstance(one, torch.Tensor) else one for one in inputs
)
torch.manual_seed(0)
made = module(*inputs)
pending, RESULTS = [made], []
while pending:
    one = pending.pop()
    if isinstance(one, torch.Tensor):
        RESULTS.append(one)
    elif isinstance(one, (tuple, list)):
        pending.extend(one)
    elif isinstance(one, dict):
        pending.extend(one.values())
sum(one.square().sum() for one in RESULTS if one.requires_grad).backward()
RESULTS = [one.detach() for one in RESULTS]
RESULTS += [one.grad for one in inputs if isinstance(one, torch.Tensor) and one.grad is not None]
