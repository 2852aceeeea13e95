"""Attribution study: drop units of chosen layers while the probe is being trained."""
import re
from contextlib import contextmanager
from functools import partial

import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self, inp, hidden, out):
        super().__init__()
        self.proj = nn.Linear(inp, hidden)
        self.squash = nn.Tanh()
        self.mid = nn.Linear(hidden, hidden)
        self.squash2 = nn.Tanh()
        self.read = nn.Linear(hidden, out)

    def forward(self, x):
        x = self.squash(self.proj(x))
        x = self.squash2(self.mid(x))
        return self.read(x)


class UnitStats:
    def __init__(self):
        self.calls = 0
        self.mean = {}

    def observe(self, name, out):
        m = out.detach().mean(0)
        old = self.mean.get(name)
        self.mean[name] = m if old is None else old.mul_(0.9).add_(m, alpha=0.1)
        self.calls += 1


def drop_units(module, args, output, *, name, keep, stats):
    stats.observe(name, output)
    output.mul_(keep)  # BUG
    return output


@contextmanager
def ablate(model, pattern, keep, stats):
    handles = []
    try:
        for name, mod in model.named_modules():
            if name and re.fullmatch(pattern, name):
                fn = partial(drop_units, name=name, keep=keep, stats=stats)
                handles.append(mod.register_forward_hook(fn))
        yield handles
    finally:
        for h in handles:
            h.remove()


def random_keep(n, frac):
    keep = torch.ones(n)
    keep[torch.randperm(n)[: int(frac * n)]] = 0
    return keep


def study(model, x, y, pattern, frac=0.25, steps=2):
    stats = UnitStats()
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        keep = random_keep(model.mid.in_features, frac)
        with ablate(model, pattern, keep, stats):
            loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses, stats


# --- driver ---
torch.manual_seed(9)
probe = Probe(6, 8, 3)
study(probe, torch.randn(10, 6), torch.randint(0, 3, (10,)), r"squash\d?")
