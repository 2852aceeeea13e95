from typing import Optional, Tuple

import torch
from torch import Tensor, nn


def default_inv_freq(dim: int, base: float) -> Tensor:
    return base ** (-torch.arange(0, dim, 2).float() / dim)


class RotaryEmbedding(nn.Module):
    """Rotary positions for the first ``rot_dim`` features of each head.

    Args:
        rot_dim: even number of features to turn.
        learned_freq: make the inverse frequencies a parameter.
        scale: position interpolation factor.
    """

    def __init__(self, rot_dim: int, base: float = 10000.0, learned_freq: bool = False, scale: float = 1.0):
        super().__init__()
        inv = default_inv_freq(rot_dim, base)
        self.rot_dim, self.scale, self.learned_freq = rot_dim, scale, learned_freq
        if learned_freq:
            self.inv_freq = nn.Parameter(inv)
        else:
            self.register_buffer("inv_freq", inv, persistent=False)
        self._cache: Optional[Tuple[int, Tensor, Tensor]] = None

    def tables(self, n: int) -> Tuple[Tensor, Tensor]:
        if self._cache is not None and self._cache[0] >= n and not self.learned_freq:
            return self._cache[1][:n], self._cache[2][:n]
        pos = torch.arange(n, device=self.inv_freq.device).float()
        pos.div_(self.scale)
        ang = pos[:, None] * self.inv_freq[None, :]
        cos, sin = ang.cos(), ang.sin()
        self._cache = (n, cos, sin)
        return cos, sin

    def rotate_(self, x: Tensor) -> Tensor:
        """x: (B, H, T, D), is overwritten."""
        cos, sin = self.tables(x.shape[-2])
        r = self.rot_dim
        even, odd = x[..., 0:r:2], x[..., 1:r:2]
        new_even = even * cos - odd * sin
        new_odd = odd * cos + even * sin
        x[..., 0:r:2] = new_even  # BUG
        x[..., 1:r:2] = new_odd
        return x

    def forward(self, q: Tensor, k: Tensor) -> Tuple[Tensor, Tensor]:
        return self.rotate_(q), self.rotate_(k)
