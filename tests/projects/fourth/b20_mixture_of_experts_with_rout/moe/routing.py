from dataclasses import dataclass

import torch
import torch.nn as nn

from .policies import POLICIES


@dataclass
class Route:
    logits: torch.Tensor
    probs: torch.Tensor
    gates: torch.Tensor
    index: torch.Tensor
    kept: torch.Tensor = None


class Router(nn.Module):
    def __init__(self, dim, n_experts, k, policies):
        super().__init__()
        self.proj = nn.Linear(dim, n_experts, bias=False)
        self.k, self.n_experts = k, n_experts
        self.policies = policies

    @classmethod
    def from_config(cls, dim, n_experts, cfg):
        pol = [POLICIES[name](cfg) for name in cfg["policies"]]
        return cls(dim, n_experts, cfg["k"], pol)

    def forward(self, x):
        logits = self.proj(x)
        probs = logits.softmax(-1)
        route = Route(logits, probs, probs, probs.topk(self.k, dim=-1).indices)
        for p in self.policies:
            route = p.apply(route, self)
        return route
