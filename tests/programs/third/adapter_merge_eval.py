"""Adapters folded into the frozen weights for evaluation only."""
import math
from contextlib import contextmanager
from typing import Iterator, List

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class LowRank(nn.Module):
    def __init__(self, base: nn.Linear, rank: int, alpha: float = 8.0, dropout: float = 0.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Parameter(torch.empty(rank, base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=math.sqrt(5))
        self.scale = alpha / rank
        self.dropout = dropout
        self.folded = False

    def forward(self, x: Tensor) -> Tensor:
        y = self.base(x)
        if self.folded:
            return y
        z = F.dropout(x, self.dropout, self.training) @ self.down.t()
        y += (z @ self.up.t()) * self.scale
        return y

    @torch.no_grad()
    def fold(self, sign: int = 1) -> None:
        self.base.weight.addmm_(self.up, self.down, alpha=sign * self.scale)
        self.folded = sign > 0


def wrap(module: nn.Module, rank: int) -> List[LowRank]:
    made = []
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear):
            lr = LowRank(child, rank)
            setattr(module, name, lr)
            made.append(lr)
        else:
            made += wrap(child, rank)
    return made


@contextmanager
def folded(adapters: List[LowRank]) -> Iterator[None]:
    kept = [a.base.weight.detach().clone() for a in adapters]
    for a in adapters:
        a.fold(1)
    try:
        yield
    finally:
        for a, w in zip(adapters, kept):
            a.base.weight.data.copy_(w)
            a.folded = False


class Classifier(nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim).requires_grad_(False)
        self.enc = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, dim))
        self.cls = nn.Linear(dim, classes)

    def forward(self, ids):
        return self.cls(self.enc(self.emb(ids)).mean(1))


def tune(model, adapters, batches, val):
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
    acc = []
    for ids, y in batches:
        loss = F.cross_entropy(model(ids), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with folded(adapters), torch.no_grad():
            acc.append((model(val[0]).argmax(-1) == val[1]).float().mean().item())
    return acc


# --- driver ---
torch.manual_seed(45)
model = Classifier(12, 6, 3)
adapters = wrap(model, 2)
batch = lambda: (torch.randint(0, 12, (4, 5)), torch.randint(0, 3, (4,)))
tune(model, adapters, [batch(), batch()], batch())
