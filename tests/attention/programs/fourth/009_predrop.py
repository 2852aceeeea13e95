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
