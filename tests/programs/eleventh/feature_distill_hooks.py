"""Ranking distillation: a wide click model teaches a hashed, narrow one through hooks on the hidden layers."""
from collections import OrderedDict
from typing import Callable

import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


class FieldEmbedding(nn.Module):
    """One table for all fields; ids are shifted to the part of their field, or hashed to a smaller table."""

    def __init__(self, cards, dim, buckets=None):
        super().__init__()
        offsets = np.concatenate([[0], np.cumsum(cards)[:-1]])
        self.register_buffer("offsets", torch.as_tensor(offsets))
        self.buckets = buckets
        self.table = nn.Embedding(buckets or int(np.sum(cards)), dim)

    def forward(self, ids):
        rows = ids + self.offsets
        if self.buckets:
            rows.mul_(2654435761).bitwise_right_shift_(7).remainder_(self.buckets)
        return self.table(rows)


class DeepFM(nn.Module):
    def __init__(self, cards, dim, widths, buckets=None):
        super().__init__()
        self.first, self.second = FieldEmbedding(cards, 1, buckets), FieldEmbedding(cards, dim, buckets)
        layers, n_in = OrderedDict(), dim * len(cards)
        for i, w in enumerate(widths):
            layers[f"fc{i}"], layers[f"act{i}"] = nn.Linear(n_in, w), nn.ReLU(inplace=True)
            n_in = w
        self.deep = nn.Sequential(layers)
        self.out = nn.Linear(n_in, 1)

    def forward(self, ids):
        e = self.second(ids)
        pair = e.sum(1).pow_(2).sub_(e.square().sum(1)).sum(-1).mul_(0.5)
        logit = self.out(self.deep(e.flatten(1))).squeeze(-1)
        logit += self.first(ids).sum(dim=(1, 2))
        return logit.add_(pair)


class Tap:
    """Remembers what came out of chosen submodules during the last forward pass."""

    def __init__(self, model, names, wrap: Callable = lambda t: t):
        self.values, self.wrap = {}, wrap
        self.handles = [model.get_submodule(n).register_forward_hook(self._make(n)) for n in names]

    def _make(self, name):
        def hook(mod, args, out):
            self.values[name] = self.wrap(out)
        return hook

    def take(self):
        out, self.values = self.values, {}
        return out


class Whitener(nn.Module):
    """Running standardisation of teacher features."""

    def __init__(self, dim, momentum=0.1):
        super().__init__()
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("var", torch.ones(dim))
        self.momentum = momentum

    @torch.no_grad()
    def forward(self, x):
        self.mean.lerp_(x.mean(0), self.momentum)
        self.var.lerp_(x.var(0), self.momentum)
        return x.sub_(self.mean).div_((self.var + 1e-5).sqrt())


class Distill(nn.Module):
    def __init__(self, teacher, student, pairs, temperature=3.0, weight=0.1):
        super().__init__()
        self.teacher, self.student = teacher.requires_grad_(False).eval(), student
        self.pairs, self.t, self.weight = pairs, temperature, weight
        self.t_tap = Tap(teacher, pairs.values(), wrap=torch.clone)
        self.s_tap = Tap(student, pairs.keys())
        width = lambda m, n: m.get_submodule(n.replace("act", "fc")).out_features
        self.proj = nn.ModuleList([nn.Linear(width(student, s), width(teacher, t)) for s, t in pairs.items()])
        self.white = nn.ModuleList([Whitener(width(teacher, t)) for t in pairs.values()])

    def forward(self, ids, click):
        with torch.no_grad():
            soft = self.teacher(ids).div_(self.t).sigmoid_()
        logit = self.student(ids)
        loss = F.binary_cross_entropy_with_logits(logit, click)
        loss += self.t * F.binary_cross_entropy_with_logits(logit / self.t, soft)
        mine, theirs = self.s_tap.take(), self.t_tap.take()
        for (s, t), proj, white in zip(self.pairs.items(), self.proj, self.white):
            loss += self.weight * F.mse_loss(proj(mine[s]), white(theirs[t]))
        return loss


# --- driver ---
torch.manual_seed(0)
cards = [40, 12, 7]
teacher, student = DeepFM(cards, 8, [32, 16]), DeepFM(cards, 4, [12, 8], buckets=31)
task = Distill(teacher, student, {"deep.act0": "deep.act0", "deep.act1": "deep.act1"})
opt = torch.optim.Adam([p for p in task.parameters() if p.requires_grad], lr=1e-2)
for _ in range(5):
    ids = torch.stack([torch.randint(0, c, (32,)) for c in cards], 1)
    loss = task(ids, (ids.sum(1) % 3 == 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
