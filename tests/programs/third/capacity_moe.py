import dataclasses
import math
from typing import NamedTuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclasses.dataclass
class MoEArgs:
    dim: int = 8
    hidden: int = 16
    experts: int = 4
    capacity_factor: float = 1.0
    aux_weight: float = 0.01


class Routing(NamedTuple):
    probs: torch.Tensor
    expert: torch.Tensor
    aux: torch.Tensor


class Expert(nn.Module):
    def __init__(self, a: MoEArgs):
        super().__init__()
        self.up = nn.Linear(a.dim, a.hidden)
        self.down = nn.Linear(a.hidden, a.dim)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class Top1Router(nn.Module):
    def __init__(self, a: MoEArgs):
        super().__init__()
        self.a = a
        self.gate = nn.Linear(a.dim, a.experts, bias=False)

    def capacity(self, tokens: int) -> int:
        return max(1, math.ceil(tokens / self.a.experts * self.a.capacity_factor))

    def overflow(self, expert, tokens):
        onehot = F.one_hot(expert, self.a.experts)
        rank = (onehot.cumsum(0) * onehot).sum(-1)
        return rank > self.capacity(tokens)

    def forward(self, x) -> Routing:
        probs = F.softmax(self.gate(x), dim=-1)
        expert = probs.argmax(-1)
        density = F.one_hot(expert, self.a.experts).float().mean(0)
        aux = self.a.experts * (density * probs.mean(0)).sum()
        dropped = self.overflow(expert, len(x))
        probs.masked_fill_(dropped.unsqueeze(-1), 0.0)  # BUG
        return Routing(probs, expert, aux)


class SwitchFFN(nn.Module):
    def __init__(self, a: MoEArgs):
        super().__init__()
        self.a = a
        self.router = Top1Router(a)
        self.experts = nn.ModuleList([Expert(a) for _ in range(a.experts)])

    def forward(self, x):
        flat = x.reshape(-1, self.a.dim)
        r = self.router(flat)
        out = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            sel = (r.expert == e).nonzero().squeeze(-1)
            if len(sel):
                out[sel] = expert(flat[sel]) * r.probs[sel, e].unsqueeze(-1)
        return out.view_as(x), r.aux * self.a.aux_weight


class Block(nn.Module):
    def __init__(self, a: MoEArgs):
        super().__init__()
        self.norm = nn.LayerNorm(a.dim)
        self.ffn = SwitchFFN(a)

    def forward(self, x):
        y, aux = self.ffn(self.norm(x))
        return x + y, aux


# --- driver ---
torch.manual_seed(11)
block = Block(MoEArgs())
opt = torch.optim.Adam(block.parameters())
y, aux = block(torch.randn(2, 6, 8))
(y.pow(2).mean() + aux).backward()
opt.step()
