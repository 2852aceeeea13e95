"""Concept-erasure finetuning: hooks take a direction out of intermediate activations."""
import functools
from contextlib import ExitStack, contextmanager

import torch
import torch.nn as nn


class HookManager:
    def __init__(self, model):
        self.modules = dict(model.named_modules())
        self.cache = {}

    @contextmanager
    def attach(self, name, fn):
        handle = self.modules[name].register_forward_hook(functools.partial(fn, name))
        try:
            yield self
        finally:
            handle.remove()

    def record(self, name, module, args, output):
        self.cache[name] = output.detach().mean(0)


class Eraser:
    def __init__(self, direction, strength=1.0):
        self.unit = direction / direction.norm()
        self.strength = strength
        self.removed = []

    def __call__(self, name, module, args, output):
        coef = output.detach() @ self.unit
        self.removed.append(coef.abs().mean().item())
        output.sub_(self.strength * coef[:, None] * self.unit)  # BUG
        return output


class Probe(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w = nn.Linear(dim, 1)

    def direction(self):
        return self.w.weight.detach()[0].clone()

    def fit(self, feats, labels, steps=5, lr=0.5):
        opt = torch.optim.SGD(self.parameters(), lr=lr)
        for _ in range(steps):
            loss = nn.functional.binary_cross_entropy_with_logits(self.w(feats).squeeze(1), labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
        return self


class TextTower(nn.Module):
    def __init__(self, vocab=16, dim=8, classes=3):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.enc = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())
        self.mix = nn.Sequential(nn.Linear(dim, dim), nn.Tanh())
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        return self.head(self.mix(self.enc(self.bag(ids))))

    @torch.no_grad()
    def features(self, ids):
        return self.enc(self.bag(ids))


def finetune(model, erasers, batches, lr=1e-2):
    manager = HookManager(model)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    with ExitStack() as stack:
        for name, eraser in erasers.items():
            stack.enter_context(manager.attach(name, eraser))
        stack.enter_context(manager.attach("bag", manager.record))
        for ids, y in batches:
            loss = nn.functional.cross_entropy(model(ids), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return manager.cache


# --- driver ---
torch.manual_seed(26)
tower = TextTower()
ids = torch.randint(0, 16, (12, 5))
probe = Probe(8).fit(tower.features(ids), (ids[:, 0] > 7).float())
erasers = {"enc": Eraser(probe.direction())}
finetune(tower, erasers, [(ids, torch.randint(0, 3, (12,)))])
