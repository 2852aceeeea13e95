"""Agents look at each other before their future is predicted."""
from typing import NamedTuple, Optional

import torch
import torch.nn as nn
from torch import Tensor


class Projected(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor


class AgentProjection(nn.Module):
    def __init__(self, d: int, heads: int):
        super().__init__()
        self.heads = heads
        self.q = nn.Parameter(torch.randn(heads, d, d // heads) / d ** 0.5)
        self.k = nn.Parameter(torch.randn(heads, d, d // heads) / d ** 0.5)
        self.v = nn.Parameter(torch.randn(heads, d, d // heads) / d ** 0.5)

    def forward(self, x: Tensor) -> Projected:
        # no transposes: heads come out in front straight away
        return Projected(
            query=torch.einsum("nad,hde->hnae", x, self.q),
            key=torch.einsum("nad,hde->hnae", x, self.k),
            value=torch.einsum("nad,hde->hnae", x, self.v),
        )


class Interaction(nn.Module):
    def __init__(self, d: int = 16, heads: int = 2, radius: float = 1.5):
        super().__init__()
        self.project = AgentProjection(d, heads)
        self.radius = radius
        self.norm = nn.LayerNorm(d)
        self.out = nn.Linear(d, d, bias=False)

    def neighbourhood(self, xy: Tensor) -> Tensor:
        near = torch.cdist(xy, xy) < self.radius
        return near | torch.eye(xy.shape[1], dtype=torch.bool)

    def forward(self, x: Tensor, xy: Optional[Tensor] = None) -> Tensor:
        p = self.project(self.norm(x))
        energy = torch.einsum("hnae,hnbe->hnab", p.query, p.key).div(p.key.size(-1) ** 0.5)
        if xy is not None:
            energy = energy.masked_fill(self.neighbourhood(xy).logical_not(), -1e4)
        share = energy.softmax(3)  # ATTN
        mixed = torch.einsum("hnab,hnbe->nahe", share, p.value)
        return x + self.out(mixed.flatten(2))


class Forecaster(nn.Module):
    def __init__(self, past: int = 5, future: int = 4, d: int = 16):
        super().__init__()
        self.future = future
        self.enc = nn.GRU(2, d, batch_first=True)
        self.social = nn.ModuleList([Interaction(d), Interaction(d, heads=4, radius=0.8)])
        self.dec = nn.Linear(d, 2 * future)

    def forward(self, tracks: Tensor, use_distance: bool = True) -> Tensor:
        n, a, t, _ = tracks.shape
        steps = tracks.diff(dim=2)
        _, h = self.enc(steps.reshape(n * a, t - 1, 2))
        h = h[-1].view(n, a, -1)
        here = tracks[:, :, -1]
        for layer in self.social:
            h = layer(h, here.detach() if use_distance else None)
        delta = self.dec(h).view(n, a, self.future, 2)
        return here.unsqueeze(2) + delta.cumsum(2)


# --- driver ---
torch.manual_seed(36)
fc = Forecaster().double().eval()
RESULTS = []
for agents, flag in ((6, True), (9, False)):
    tr = torch.randn(2, agents, 5, 2, dtype=torch.float64).cumsum(2).requires_grad_()
    fc.zero_grad()
    fut = fc(tr, flag)
    fut.norm(dim=-1).sum().backward()
    RESULTS += [fut.detach(), tr.grad] + [p.grad.clone() for p in fc.parameters()]
