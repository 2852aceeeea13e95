import math
from dataclasses import replace

import torch


class Policy:
    def __init__(self, cfg):
        self.cfg = cfg

    def apply(self, route, router):
        raise NotImplementedError


class TopK(Policy):
    """Zero the gates outside the top k."""

    def apply(self, route, router):
        keep = torch.zeros_like(route.gates, dtype=torch.bool)
        keep.scatter_(1, route.index, True)
        return replace(route, gates=route.gates * keep, kept=keep)


class Capacity(Policy):
    """Drop tokens beyond each expert's capacity, lowest gate first."""

    def apply(self, route, router):
        n = route.gates.size(0)
        cap = math.ceil(self.cfg["capacity"] * n * router.k / router.n_experts)
        keep = torch.zeros_like(route.gates, dtype=torch.bool)
        keep.scatter_(1, route.index, True)
        score = route.gates.detach().masked_fill(~keep, -1.0)
        rank = score.argsort(0, descending=True).argsort(0)
        keep &= rank < cap
        gates = route.gates.masked_fill_(~keep, 0.0)  # BUG
        return replace(route, gates=gates, kept=keep)


class Renorm(Policy):
    def apply(self, route, router):
        total = route.gates.sum(-1, keepdim=True).clamp(min=1e-6)
        return replace(route, gates=route.gates / total)


POLICIES = {"topk": TopK, "capacity": Capacity, "renorm": Renorm}
