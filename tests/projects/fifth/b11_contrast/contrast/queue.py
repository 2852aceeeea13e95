import torch
from torch import nn


class FeatureQueue(nn.Module):
    """Ring buffer of keys, columns are features (dim, K)."""

    def __init__(self, dim: int, size: int):
        super().__init__()
        self.size = size
        self.register_buffer("feats", nn.functional.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def push(self, keys: torch.Tensor) -> None:
        n = keys.shape[0]
        p = int(self.ptr)
        idx = torch.arange(p, p + n) % self.size
        self.feats.index_copy_(1, idx, keys.t())  # BUG
        self.ptr[0] = (p + n) % self.size

    def negatives(self) -> torch.Tensor:
        return self.feats.detach()
