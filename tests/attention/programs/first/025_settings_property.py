from dataclasses import dataclass, field
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class AttnSettings:
    width: int
    heads: int
    head_width: Optional[int] = None
    p_drop: float = 0.0
    out_bias: bool = True
    scale_override: Optional[float] = field(default=None, compare=False)

    @property
    def inner(self) -> int:
        return self.heads * self.per_head

    @property
    def per_head(self) -> int:
        return self.head_width or self.width // self.heads

    @property
    def scale(self) -> float:
        if self.scale_override is not None:
            return self.scale_override
        return self.per_head ** -0.5


class QKV(NamedTuple):
    q: Tensor
    k: Tensor
    v: Tensor


class Projection(nn.Module):
    def __init__(self, cfg: AttnSettings):
        super().__init__()
        self.cfg = cfg
        self.weight = nn.Parameter(torch.empty(3, cfg.heads, cfg.width, cfg.per_head))
        nn.init.trunc_normal_(self.weight, std=cfg.width ** -0.5)

    def forward(self, x: Tensor) -> QKV:
        return QKV(*torch.einsum("bti,shio->sbhto", x, self.weight))


class SelfAttention(nn.Module):
    def __init__(self, cfg: AttnSettings):
        super().__init__()
        self.cfg = cfg
        self.proj = Projection(cfg)
        self.out = nn.Linear(cfg.inner, cfg.width, bias=cfg.out_bias)
        self.drop = nn.Dropout(cfg.p_drop)

    @property
    def temperature(self) -> float:
        return 1.0 / self.cfg.scale

    def forward(self, x: Tensor, visible: Optional[Tensor] = None) -> Tensor:
        qkv = self.proj(x)
        sim = torch.einsum("...td,...sd->...ts", qkv.q, qkv.k) / self.temperature
        if visible is not None:
            sim = sim + visible.log()[:, None, None, :]
        probs = self.drop(torch.softmax(sim, -1))  # ATTN
        mixed = torch.einsum("bhts,bhsd->bthd", probs, qkv.v)
        return self.out(mixed.flatten(-2))


class Encoder(nn.Module):
    def __init__(self, cfg: AttnSettings, depth: int):
        super().__init__()
        self.body = nn.ModuleList([SelfAttention(cfg) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(cfg.width) for _ in range(depth)])

    def forward(self, x, visible=None):
        for attn, norm in zip(self.body, self.norms):
            x = x + attn(norm(x), visible)
        return x


# --- driver ---
torch.manual_seed(25)
RESULTS = []
for cfg, n, soft in (
    (AttnSettings(18, 3, p_drop=0.1), 8, False),
    (AttnSettings(16, 2, head_width=5, scale_override=0.7, out_bias=False), 11, True),
):
    enc = Encoder(cfg, 2).double().eval()
    x = torch.randn(2, n, cfg.width, dtype=torch.float64, requires_grad=True)
    vis = None
    if soft:
        vis = (torch.rand(2, n, dtype=torch.float64) + 0.05).requires_grad_()
    y = enc(x, vis)
    torch.atan(y).sum().backward()
    RESULTS += [y.detach(), x.grad]
    if vis is not None:
        RESULTS.append(vis.grad)
    RESULTS += [p.grad for p in enc.parameters()]
