import math
from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r=2, alpha=4):
        super().__init__()
        self.base = base
        for p in base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(r, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scale = alpha / r
        self.merged = False

    @torch.no_grad()
    def merge(self, sign=1.0):
        self.base.weight.add_(self.B @ self.A, alpha=sign * self.scale)  # BUG
        self.merged = sign > 0

    def forward(self, x):
        out = self.base(x)
        if not self.merged:
            out += F.linear(F.linear(x, self.A), self.B) * self.scale
        return out


def inject(module, names, **kw):
    for parent in list(module.modules()):
        for child_name, child in list(parent.named_children()):
            if child_name in names and isinstance(child, nn.Linear):
                setattr(parent, child_name, LoRALinear(child, **kw))
    return module


@contextmanager
def merged(model):
    layers = [m for m in model.modules() if isinstance(m, LoRALinear)]
    for m in layers:
        m.merge()
    try:
        yield model
    finally:
        for m in layers:
            m.merge(-1.0)


class GatedMLP(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.fc1, self.fc2 = nn.Linear(dim, 2 * dim), nn.Linear(2 * dim, dim)

    def forward(self, x):
        return x + self.fc2(F.gelu(self.fc1(self.norm(x))))


class Encoder(nn.Module):
    def __init__(self, vocab=25, dim=8, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.emb.requires_grad_(False)
        self.blocks = nn.Sequential(*(GatedMLP(dim) for _ in range(depth)))

    def forward(self, ids):
        return self.blocks(self.emb(ids)).mean(1)


class PreferenceTrainer:
    def __init__(self, model, lr=1e-2, margin=0.2):
        self.model, self.margin = model, margin
        self.opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=lr)
        self.scores = []

    @torch.no_grad()
    def probe(self, ids):
        with merged(self.model) as m:
            self.scores.append(m(ids).norm(dim=-1).mean().item())

    def step(self, anchor, pos, neg):
        a, p, n = (F.normalize(self.model(x), dim=-1) for x in (anchor, pos, neg))
        loss = F.relu(self.margin - (a * p).sum(-1) + (a * n).sum(-1)).mean()
        self.probe(anchor)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


# --- driver ---
torch.manual_seed(0)
trainer = PreferenceTrainer(inject(Encoder(), {"fc1", "fc2"}))
for _ in range(2):
    trainer.step(*(torch.randint(0, 25, (4, 5)) for _ in range(3)))
