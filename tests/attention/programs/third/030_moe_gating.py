"""Soft mixture of experts: softmax of a router, weights times the stacked expert outputs."""
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class MoEConfig:
    dim: int = 12
    hidden: int = 20
    experts: int = 4
    top_k: int | None = None
    temperature: float = 1.0


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1, self.w2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x):
        return self.w2(F.gelu(self.w1(x)))


class SoftMoE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.keys = nn.Parameter(torch.randn(cfg.experts, cfg.dim) * cfg.dim ** -0.5)
        self.experts = nn.ModuleList(Expert(cfg.dim, cfg.hidden) for _ in range(cfg.experts))

    def route(self, x):
        scores = x @ self.keys.transpose(-2, -1) / self.cfg.temperature
        if self.cfg.top_k is not None:
            kth = scores.topk(self.cfg.top_k, dim=-1).values[..., -1:]
            scores = scores.masked_fill(scores < kth, float("-inf"))
        return scores.softmax(dim=-1)  # NOT

    def forward(self, x):
        weights = self.route(x)                                          # b t e
        values = torch.stack([e(x) for e in self.experts], dim=-2)       # b t e d
        mixed = torch.matmul(weights.unsqueeze(-2), values).squeeze(-2)  # b t d
        load = weights.mean(dim=(0, 1))
        return mixed, (load * load).sum() * self.cfg.experts


class Net(nn.Module):
    def __init__(self, *cfgs):
        super().__init__()
        self.layers = nn.ModuleList(map(SoftMoE, cfgs))

    def forward(self, x):
        aux = 0
        for layer in self.layers:
            y, a = layer(x)
            x, aux = x + y, aux + a
        return x, aux


# --- driver ---
def main():
    torch.manual_seed(0)
    net = Net(MoEConfig(), MoEConfig(top_k=2, temperature=0.5)).eval()
    x = torch.randn(2, 5, 12, requires_grad=True)
    y, aux = net(x)
    (y.pow(2).mean() + 0.01 * aux).backward()
    return [y, aux, x.grad] + [p.grad for p in net.parameters()]


torch.set_default_dtype(torch.float64)
try:
    RESULTS = [one.detach() for one in main()]
finally:
    torch.set_default_dtype(torch.float32)
