"""Multi-rate residual forecaster (after N-HiTS) with per-component accounting of the forecast."""
from dataclasses import dataclass, field
from typing import Dict, List, Sequence

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Rate:
    pool: int
    knots: int


@dataclass
class Forecast:
    total: torch.Tensor
    parts: List[torch.Tensor] = field(default_factory=list)


class RateBlock(nn.Module):
    def __init__(self, lookback: int, horizon: int, rate: Rate, hidden: int = 24):
        super().__init__()
        self.lookback, self.horizon, self.rate = lookback, horizon, rate
        self.mlp = nn.Sequential(
            nn.Linear(lookback // rate.pool, hidden),
            nn.ReLU(inplace=True),
            nn.Linear(hidden, hidden),
            nn.ReLU(inplace=True),
        )
        self.to_back = nn.Linear(hidden, lookback // rate.pool)
        self.to_fore = nn.Linear(hidden, rate.knots)

    def forward(self, x):
        h = self.mlp(F.max_pool1d(x[:, None], self.rate.pool).squeeze(1))
        back = F.interpolate(self.to_back(h)[:, None], size=self.lookback, mode="linear", align_corners=False)
        fore = F.interpolate(self.to_fore(h)[:, None], size=self.horizon, mode="linear", align_corners=False)
        return back.squeeze(1), fore.squeeze(1)


class NHiTS(nn.Module):
    def __init__(self, lookback: int, horizon: int, rates: Sequence[Rate]):
        super().__init__()
        self.horizon = horizon
        self.blocks = nn.ModuleList(RateBlock(lookback, horizon, r) for r in rates)

    def forward(self, x: torch.Tensor) -> Forecast:
        shift = x[:, -1:].clone()
        residual = x - shift
        out = Forecast(x.new_zeros(x.size(0), self.horizon))
        for block in self.blocks:
            back, fore = block(residual)
            residual = residual - back
            out.total += fore
            out.parts.append(fore.detach())
        out.total += shift
        return out


class ComponentMeter:
    """Keeps the running share of variance that each block explains."""

    def __init__(self, n: int, momentum: float = 0.9):
        self.share = torch.full((n,), 1.0 / n)
        self.momentum = momentum

    def update(self, parts: List[torch.Tensor]) -> None:
        var = torch.stack([p.var() for p in parts])
        var /= var.sum().clamp_min(1e-8)
        self.share.mul_(self.momentum).add_(var, alpha=1 - self.momentum)

    def summary(self) -> Dict[str, float]:
        return {f"block{i}": round(s, 3) for i, s in enumerate(self.share.tolist())}


def pinball(pred, target, tau=0.5):
    err = target - pred
    return torch.maximum(tau * err, (tau - 1) * err).mean()


def train(model, batches, lr=2e-3, clip=1.0):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    meter = ComponentMeter(len(model.blocks))
    for x, y in batches:
        fc = model(x)
        loss = pinball(fc.total, y, 0.4)
        meter.update(fc.parts)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        opt.step()
    return meter


# --- driver ---
torch.manual_seed(4)
walk = torch.randn(8, 64).cumsum(1)
batches = [(walk[:, i:i + 24], walk[:, i + 24:i + 32]) for i in range(0, 32, 8)]
net = NHiTS(24, 8, [Rate(8, 1), Rate(4, 2), Rate(1, 8)])
print(train(net, batches).summary())
