"""Low-rank adaptation of a frozen intent classifier, evaluated with merged weights."""
import math
from contextlib import contextmanager
from typing import Iterable

import torch
from torch import nn


class AdapterLinear(nn.Module):
    def __init__(self, base: nn.Linear, rank: int = 4, alpha: float = 8.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.empty(rank, base.in_features))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))
        self.scaling = alpha / rank
        self.merged = False

    @property
    def delta(self) -> torch.Tensor:
        return (self.b @ self.a) * self.scaling

    @torch.no_grad()
    def merge(self) -> None:
        self.base.weight.add_(self.delta)
        self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        self.base.weight.sub_(self.delta)
        self.merged = False

    def forward(self, x):
        y = self.base(x)
        if self.merged:
            return y
        y += (x @ self.a.t() @ self.b.t()) * self.scaling
        return y


def adapt(model: nn.Module, targets: Iterable[str], **kw) -> nn.Module:
    model.requires_grad_(False)
    for name, mod in list(model.named_modules()):
        for child_name, child in list(mod.named_children()):
            if isinstance(child, nn.Linear) and child_name in targets:
                setattr(mod, child_name, AdapterLinear(child, **kw))
    return model


def adapters(model):
    return [m for m in model.modules() if isinstance(m, AdapterLinear)]


@contextmanager
def merged_weights(model):
    for m in adapters(model):
        m.merge()
    try:
        yield model
    finally:
        for m in adapters(model):
            m.unmerge()


class Mixer(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        self.token = nn.Linear(length, length)
        self.up, self.down = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        x = x + self.token(x.transpose(1, 2)).transpose(1, 2)
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


class IntentModel(nn.Module):
    def __init__(self, vocab=40, dim=16, length=8, intents=5, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mixers = nn.Sequential(*(Mixer(dim, length) for _ in range(depth)))
        self.out = nn.Linear(dim, intents)

    def forward(self, ids):
        return self.out(self.mixers(self.emb(ids)).mean(1))


@torch.no_grad()
def accuracy(model, ids, y):
    return (model(ids).argmax(-1) == y).float().mean().item()


# --- driver ---
def main():
    torch.manual_seed(0)
    model = adapt(IntentModel(), targets={"up", "down"}, rank=2)
    model.out.requires_grad_(True)
    opt = torch.optim.AdamW((p for p in model.parameters() if p.requires_grad), lr=5e-3)
    val = torch.randint(0, 40, (16, 8)), torch.randint(0, 5, (16,))
    for step in range(3):
        ids = torch.randint(0, 40, (12, 8))
        loss = nn.functional.cross_entropy(model(ids), ids.sum(1) % 5)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with merged_weights(model):
            acc = accuracy(model, *val)
        print(step, f"{loss.item():.4f} val {acc:.2f}")


if __name__ == "__main__":
    main()
