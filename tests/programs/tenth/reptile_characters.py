"""Reptile: inner SGD on a task, outer interpolation of the weights, with BN statistics kept per task."""
import copy
import itertools

import torch
from torch import nn
from torch.nn import functional as F


class TaskBank:
    """Synthetic 'alphabets': each class is a random template, samples are noisy copies of it."""

    def __init__(self, classes=30, side=8, seed=0):
        self.rng = torch.Generator().manual_seed(seed)
        self.templates = torch.rand(classes, 1, side, side, generator=self.rng).round_()

    def draw(self, ways, per_class):
        pick = torch.randperm(len(self.templates), generator=self.rng)[:ways]
        x = self.templates[pick].repeat_interleave(per_class, 0)
        x.add_(torch.randn(x.shape, generator=self.rng), alpha=0.3)
        y = torch.arange(ways).repeat_interleave(per_class)
        order = torch.randperm(len(y), generator=self.rng)
        return x[order], y[order]


def make_net(ways):
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.Conv2d(8, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(inplace=True),
        nn.Flatten(), nn.Linear(32, ways),
    )


class Snapshot:
    def __init__(self, model):
        self.model = model
        self.saved = {k: v.clone() for k, v in model.state_dict().items()}

    def restore(self):
        with torch.no_grad():
            for k, v in self.model.state_dict().items():
                v.copy_(self.saved[k])


class Reptile:
    def __init__(self, model, inner_lr=0.05, outer_lr=0.5, inner_steps=4):
        self.model = model
        self.inner_lr, self.outer_lr, self.inner_steps = inner_lr, outer_lr, inner_steps
        self.meta = {k: p.detach().clone() for k, p in model.named_parameters()}

    @torch.no_grad()
    def load_meta(self):
        for k, p in self.model.named_parameters():
            p.copy_(self.meta[k])

    def inner_loop(self, x, y):
        params = list(self.model.parameters())
        for idx in itertools.islice(itertools.cycle(torch.arange(len(x)).chunk(2)), self.inner_steps):
            grads = torch.autograd.grad(F.cross_entropy(self.model(x[idx]), y[idx]), params)
            with torch.no_grad():
                torch._foreach_add_(params, grads, alpha=-self.inner_lr)

    @torch.no_grad()
    def outer_update(self, adapted, progress):
        rate = self.outer_lr * (1 - progress)
        for k, w in self.meta.items():
            direction = torch.stack([a[k] for a in adapted]).mean(0).sub_(w)
            w.add_(direction, alpha=rate)

    def train(self, bank, iterations, tasks=2, ways=4, shots=5):
        for it in range(iterations):
            adapted = []
            for _ in range(tasks):
                self.load_meta()
                self.inner_loop(*bank.draw(ways, shots))
                adapted.append({k: p.detach().clone() for k, p in self.model.named_parameters()})
            self.outer_update(adapted, it / iterations)
        self.load_meta()

    def evaluate(self, bank, ways=4, shots=2):
        snap = Snapshot(self.model)
        x, y = bank.draw(ways, 2 * shots)
        half = len(x) // 2
        loss = F.cross_entropy(self.model(x[:half]), y[:half])
        loss.backward()
        with torch.no_grad():
            for p in self.model.parameters():
                p.sub_(p.grad, alpha=self.inner_lr)
                p.grad = None
            score = (self.model(x[half:]).argmax(1) == y[half:]).float().mean().item()
        snap.restore()
        return score


# --- driver ---
torch.manual_seed(23)
bank = TaskBank()
reptile = Reptile(make_net(4))
reptile.train(bank, iterations=3)
reptile.evaluate(bank)
