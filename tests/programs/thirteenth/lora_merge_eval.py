from __future__ import annotations

import math
from contextlib import contextmanager
from typing import Iterator

import torch
from torch import Tensor, nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 4, alpha: float = 8.0, dropout: float = 0.05) -> None:
        super().__init__()
        self.base = base
        base.weight.requires_grad_(False)
        if base.bias is not None:
            base.bias.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scaling = alpha / r
        self.drop = nn.Dropout(dropout)
        self.merged = False

    def delta(self) -> Tensor:
        return (self.B @ self.A) * self.scaling

    @torch.no_grad()
    def merge(self) -> None:
        if not self.merged:
            self.base.weight += self.delta()
            self.merged = True

    @torch.no_grad()
    def unmerge(self) -> None:
        if self.merged:
            self.base.weight -= self.delta()
            self.merged = False

    def forward(self, x: Tensor) -> Tensor:
        y = self.base(x)
        if not self.merged:
            y += F.linear(F.linear(self.drop(x), self.A), self.B) * self.scaling
        return y


def inject(module: nn.Module, targets: tuple[str, ...], **kw) -> int:
    n = 0
    for name, child in list(module.named_children()):
        if isinstance(child, nn.Linear) and name in targets:
            setattr(module, name, LoRALinear(child, **kw))
            n += 1
        else:
            n += inject(child, targets, **kw)
    return n


@contextmanager
def merged_weights(model: nn.Module) -> Iterator[nn.Module]:
    layers = [m for m in model.modules() if isinstance(m, LoRALinear)]
    was_training = model.training
    model.eval()
    for m in layers:
        m.merge()
    try:
        yield model
    finally:
        for m in layers:
            m.unmerge()
        model.train(was_training)


class EncoderLayer(nn.Module):
    def __init__(self, d: int) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))
        self.norm = nn.LayerNorm(d)

    def forward(self, x: Tensor) -> Tensor:
        att = F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x))
        return self.norm(x + self.o(att))


class Classifier(nn.Module):
    def __init__(self, vocab: int = 30, d: int = 16, depth: int = 2, classes: int = 3) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.layers = nn.Sequential(*(EncoderLayer(d) for _ in range(depth)))
        self.cls = nn.Linear(d, classes)

    def forward(self, ids: Tensor) -> Tensor:
        return self.cls(self.layers(self.emb(ids)).mean(1))


# --- driver ---
torch.manual_seed(0)
model = Classifier().requires_grad_(False)
print("injected", inject(model, ("q", "v"), r=4))
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)
for step in range(4):
    ids, y = torch.randint(0, 30, (6, 7)), torch.randint(0, 3, (6,))
    loss = F.cross_entropy(model(ids), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 2:
        with merged_weights(model) as m, torch.no_grad():
            print("eval", F.cross_entropy(m(ids), y).item())
