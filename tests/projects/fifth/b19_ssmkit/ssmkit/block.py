import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .scan import SCANS, discretize


@dataclass
class SSMConfig:
    """scan: one of "ref", "lowmem", "cumsum"."""

    d_model: int = 4
    d_state: int = 3
    d_conv: int = 3
    expand: int = 2
    scan: str = "ref"
    n_layer: int = 1


class SSMBlock(nn.Module):
    def __init__(self, cfg: SSMConfig):
        super().__init__()
        self.cfg = cfg
        inner = cfg.expand * cfg.d_model
        self.norm = nn.LayerNorm(cfg.d_model)
        self.in_proj = nn.Linear(cfg.d_model, 2 * inner, bias=False)
        self.conv = nn.Conv1d(inner, inner, cfg.d_conv, groups=inner, padding=cfg.d_conv - 1)
        self.x_proj = nn.Linear(inner, 2 * cfg.d_state + 1, bias=False)
        self.dt_proj = nn.Linear(1, inner)
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, cfg.d_state + 1)).repeat(inner, 1))
        self.D = nn.Parameter(torch.ones(inner))
        self.out_proj = nn.Linear(inner, cfg.d_model, bias=False)
        self.scan = SCANS[cfg.scan]
        with torch.no_grad():
            self.dt_proj.bias.fill_(math.log(math.expm1(0.05)))

    def ssm(self, u: Tensor) -> Tensor:
        dt, B, C = self.x_proj(u).split([1, self.cfg.d_state, self.cfg.d_state], dim=-1)
        dt = F.softplus(self.dt_proj(dt))
        dA, dBu = discretize(dt, -torch.exp(self.A_log), B, u)
        y = self.scan(dA, dBu, C)
        y += u * self.D
        return y

    def forward(self, x: Tensor) -> Tensor:
        res = x
        u, z = self.in_proj(self.norm(x)).chunk(2, dim=-1)
        u = self.conv(u.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2)
        y = self.ssm(F.silu(u))
        return self.out_proj(y * F.silu(z)) + res


class SSMStack(nn.Sequential):
    def __init__(self, cfg: SSMConfig):
        super().__init__(*(SSMBlock(cfg) for _ in range(cfg.n_layer)))
