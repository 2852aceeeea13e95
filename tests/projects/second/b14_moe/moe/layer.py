import torch
from torch import nn

from . import balance
from .router import TopKRouter


class MoELayer(nn.Module):
    def __init__(self, dim, experts=4, k=2, capacity=6):
        super().__init__()
        self.router = TopKRouter(dim, experts, k)
        self.experts = nn.ModuleList(nn.Linear(dim, dim) for _ in range(experts))
        self.capacity = capacity
        self.aux = None

    def forward(self, x):
        probs, top, idx = self.router(x)
        used = torch.bincount(idx.flatten(), minlength=len(self.experts))
        self.aux = balance.load_balance(probs, idx, len(self.experts))
        probs = balance.apply_capacity(probs, used, self.capacity)
        out = torch.stack([e(x) for e in self.experts], 1)
        return (probs.unsqueeze(-1) * out).sum(1)
