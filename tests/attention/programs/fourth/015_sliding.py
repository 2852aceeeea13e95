import torch
from torch import nn
import torch.nn.functional as F


class LocalAttention(nn.Module):
    def __init__(self, d_model: int = 32, nhead: int = 4, window: int = 3):
        super().__init__()
        self.nhead = nhead
        self.window = window
        self.wqkv = nn.Linear(d_model, 3 * d_model)
        self.wo = nn.Linear(d_model, d_model)
        self._mask_cache = {}

    def band(self, n: int) -> torch.Tensor:
        if n not in self._mask_cache:
            i = torch.arange(n)
            delta = i[:, None] - i[None, :]
            self._mask_cache[n] = (delta < 0) | (delta >= self.window)
        return self._mask_cache[n]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.size(1)
        q, k, v = self.wqkv(x).view(*x.shape[:2], 3, self.nhead, -1).unbind(2)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        q = q / q.size(-1) ** 0.5
        logits = q @ k.transpose(-2, -1)
        bias = torch.zeros(n, n, dtype=logits.dtype).masked_fill_(self.band(n), float("-inf"))
        logits = logits + bias
        out = F.softmax(logits, dim=-1) @ v  # ATTN
        return self.wo(out.transpose(1, 2).flatten(2))


def make():
    torch.manual_seed(71)
    net = nn.Sequential(nn.LayerNorm(32), LocalAttention(), nn.LayerNorm(32), LocalAttention(window=5))
    net.eval()
    return net, (torch.randn(2, 13, 32, requires_grad=True),)
