"""ReLoRA: low-rank adapters which are folded into the frozen base and restarted every few steps."""
from __future__ import annotations

import math
from typing import Iterable

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.scaling = alpha / rank
        self.down = nn.Parameter(torch.empty(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.restart()

    @torch.no_grad()
    def restart(self) -> None:
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.up.zero_()

    @torch.no_grad()
    def fold(self) -> None:
        self.base.weight.add_(self.up @ self.down, alpha=self.scaling)  # BUG

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + self.scaling * F.linear(F.linear(x, self.down), self.up)


def inject(model: nn.Module, rank: int = 2, alpha: float = 4.0, skip: Iterable[str] = ("head",)) -> list[LoRALinear]:
    made = []
    for name, child in model.named_children():
        if name in skip:
            continue
        if isinstance(child, nn.Linear):
            adapter = LoRALinear(child, rank, alpha)
            setattr(model, name, adapter)
            made.append(adapter)
        else:
            made += inject(child, rank, alpha, skip)
    return made


class FeedForward(nn.Module):
    def __init__(self, dim: int):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.w_in, self.w_out = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.w_out(F.gelu(self.w_in(self.norm(x))))


class PretrainedNet(nn.Module):
    def __init__(self, dim: int = 16, depth: int = 2, classes: int = 3):
        super().__init__()
        self.layers = nn.Sequential(*[FeedForward(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        return self.head(self.layers(x))


class ReLoRATrainer:
    def __init__(self, model: nn.Module, adapters: list[LoRALinear], cycle: int, lr: float = 1e-2):
        self.model, self.adapters, self.cycle = model, adapters, cycle
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.opt = torch.optim.AdamW(self.params, lr=lr)
        self.steps = 0

    def begin_step(self) -> bool:
        """Counts the step; the last one of a cycle folds the adapters."""
        self.steps += 1
        ends = self.steps % self.cycle == 0
        if ends:
            for adapter in self.adapters:
                adapter.fold()
        return ends

    def new_cycle(self) -> None:
        for adapter in self.adapters:
            adapter.restart()
            for p in (adapter.up, adapter.down):
                self.opt.state.pop(p, None)

    def train_step(self, x, y):
        loss = F.cross_entropy(self.model(x), y)
        ends = self.begin_step()
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.params, 1.0)
        self.opt.step()
        if ends:
            self.new_cycle()
        return loss.item(), ends


# --- driver ---
torch.manual_seed(7)
model = PretrainedNet()
trainer = ReLoRATrainer(model, inject(model), cycle=3)
for _ in range(6):
    x = torch.randn(16, 16)
    print(trainer.train_step(x, x[:, :3].argmax(1)))
