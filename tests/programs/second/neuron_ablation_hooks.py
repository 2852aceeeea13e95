"""Train a network while ablating hidden units through forward hooks."""
from contextlib import contextmanager
from typing import Dict, Iterable

import torch
import torch.nn as nn
import torch.nn.functional as F


class GLUBlock(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.value = nn.Linear(dim, hidden)
        self.gate = nn.Sequential(nn.Linear(dim, hidden), nn.Sigmoid())
        self.down = nn.Linear(hidden, dim)

    def forward(self, x):
        return x + self.down(self.value(x) * self.gate(x))


class Net(nn.Module):
    def __init__(self, n_in, dim=12, hidden=20, depth=2, classes=3):
        super().__init__()
        self.inp = nn.Linear(n_in, dim)
        self.blocks = nn.ModuleList(GLUBlock(dim, hidden) for _ in range(depth))
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        h = self.inp(x)
        for b in self.blocks:
            h = b(h)
        return self.head(h)


class UnitAblation:
    """Zeroes a set of units of every module of the given type."""

    def __init__(self, model, kind=nn.Sigmoid):
        self.sites = {n: m for n, m in model.named_modules() if isinstance(m, kind)}
        self.units: Dict[str, torch.Tensor] = {}
        self.stats: Dict[str, torch.Tensor] = {}

    def choose(self, widths: Dict[str, int], rate):
        for n in self.sites:
            self.units[n] = torch.randperm(widths[n])[: max(1, int(rate * widths[n]))]

    def _make_hook(self, name):
        def hook(module, inputs, output):
            self.stats[name] = output.detach().mean(0)
            output[:, self.units[name]] = 0.0  # BUG
            return output
        return hook

    @contextmanager
    def active(self):
        handles = [m.register_forward_hook(self._make_hook(n)) for n, m in self.sites.items()]
        try:
            yield self
        finally:
            for h in handles:
                h.remove()


def widths_of(model, names: Iterable[str], hidden=20):
    return {n: hidden for n in names}


def train(model, loader, rate=0.2, lr=1e-2):
    ablation = UnitAblation(model)
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    importance = {}
    for x, y in loader:
        ablation.choose(widths_of(model, ablation.sites), rate)
        with ablation.active():
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
        opt.step()
        for n, m in ablation.stats.items():
            importance[n] = importance.get(n, 0) + m
    return importance


# --- driver ---
torch.manual_seed(0)
train(Net(6), [(torch.randn(8, 6), torch.randint(0, 3, (8,)))])
