"""A mixture of experts that routes each token, and returns its parts under names."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn

from .parts import activation


@dataclass
class Output:
    logits: torch.Tensor
    balance: torch.Tensor
    hidden: tuple[torch.Tensor, ...] = ()


class Expert(nn.Module):
    def __init__(self, width: int, act: str) -> None:
        super().__init__()
        self.w1 = nn.Linear(width, width * 2)
        self.w2 = nn.Linear(width * 2, width)
        self.act = activation(act)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.w1(x)
        hidden = self.act(hidden)
        hidden = self.w2(hidden)
        return hidden


class Router(nn.Module):
    def __init__(self, width: int, experts: int) -> None:
        super().__init__()
        self.proj = nn.Linear(width, experts)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        logits = self.proj(x)
        probabilities = F.softmax(logits, dim=-1)
        weights, chosen = probabilities.topk(2, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights, chosen, probabilities


class SparseBlock(nn.Module):
    def __init__(self, width: int, experts: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.router = Router(width, experts)
        self.experts = nn.ModuleList([Expert(width, "mish" if i % 2 else "gelu") for i in range(experts)])

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        batch, length, width = x.shape
        flat = self.norm(x).view(-1, width)
        weights, chosen, probabilities = self.router(flat)
        out = torch.zeros_like(flat)
        for number, expert in enumerate(self.experts):
            rows, place = torch.where(chosen == number)
            given = flat[rows]
            result = expert(given)
            result = result * weights[rows, place, None]
            out = out.index_add(0, rows, result)
        balance = probabilities.mean(0).square().sum()
        out = out.view(batch, length, width)
        return x + out, balance


class MixtureOfExperts(nn.Module):
    def __init__(self, words: int = 64, width: int = 16, depth: int = 2) -> None:
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.blocks = nn.ModuleList([SparseBlock(width, 3) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, tokens: torch.Tensor) -> Output:
        x = self.embed(tokens)
        hidden = []
        balance = x.new_zeros(())
        for block in self.blocks:
            x, loss = block(x)
            hidden.append(x)
            balance = balance + loss
        x = self.norm(x)
        logits = self.head(x)
        return Output(logits, balance, tuple(hidden))
