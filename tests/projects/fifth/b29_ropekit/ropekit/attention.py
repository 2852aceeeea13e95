from dataclasses import dataclass, field
from typing import Any, Dict

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .rotary import RotaryEmbedding


@dataclass
class AttnConfig:
    dim: int = 8
    heads: int = 2
    rot_frac: float = 1.0
    causal: bool = True
    rope: Dict[str, Any] = field(default_factory=dict)


class RotaryAttention(nn.Module):
    """Causal self attention with rotary positions. Options of the rotary part go in ``cfg.rope``."""

    def __init__(self, cfg: AttnConfig):
        super().__init__()
        self.cfg = cfg
        hd = cfg.dim // cfg.heads
        rot = int(hd * cfg.rot_frac) // 2 * 2
        self.rope = RotaryEmbedding(rot, **cfg.rope)
        self.q = nn.Linear(cfg.dim, cfg.dim, bias=False)
        self.k = nn.Linear(cfg.dim, cfg.dim, bias=False)
        self.v = nn.Linear(cfg.dim, cfg.dim, bias=False)
        self.o = nn.Linear(cfg.dim, cfg.dim, bias=False)

    def _heads(self, x: Tensor) -> Tensor:
        b, t, _ = x.shape
        return x.view(b, t, self.cfg.heads, -1).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        b, t, d = x.shape
        q, k, v = self._heads(self.q(x)), self._heads(self.k(x)), self._heads(self.v(x))
        q, k = self.rope(q, k)
        s = q @ k.transpose(-1, -2)
        s *= (d // self.cfg.heads) ** -0.5
        if self.cfg.causal:
            future = torch.ones(t, t, dtype=torch.bool).triu_(1)
            s.masked_fill_(future, float("-inf"))
        y = F.softmax(s, -1) @ v
        return self.o(y.transpose(1, 2).reshape(b, t, d))
