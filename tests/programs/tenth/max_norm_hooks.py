"""Row-norm constraints attached to any model through module hooks, and a text CNN that uses them."""
from contextlib import contextmanager
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F


class NormConstraint:
    """Rows of `module.weight` never exceed `limit`."""

    def __init__(self, limit, eps=1e-7):
        self.limit, self.eps = limit, eps
        self.violations = 0

    def attach(self, module):
        return module.register_forward_hook(self.enforce)

    @torch.no_grad()
    def enforce(self, module, args, output):
        if not module.training:
            return
        rows = module.weight.flatten(1)
        norms = rows.norm(dim=1, keepdim=True)
        self.violations += int((norms > self.limit).sum())
        factor = norms.clamp(max=self.limit) / (norms + self.eps)
        rows.mul_(factor)  # BUG


class ActivationProbe:
    def __init__(self):
        self.mean_abs = {}

    def attach(self, name, module):
        return module.register_forward_hook(partial(self.record, name))

    def record(self, name, module, args, output):
        with torch.no_grad():
            old = self.mean_abs.setdefault(name, torch.zeros(()))
            old.lerp_(output.abs().mean(), 0.1)


@contextmanager
def attached(*handles):
    try:
        yield
    finally:
        for h in handles:
            h.remove()


class SentenceCNN(nn.Module):
    def __init__(self, vocab=50, dim=12, filters=6, sizes=(2, 3, 4), classes=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, filters, k) for k in sizes)
        self.hidden = nn.Linear(filters * len(sizes), 16)
        self.out = nn.Linear(16, classes)
        with torch.no_grad():
            self.embed.weight.uniform_(-0.25, 0.25)
            self.embed.weight[0].zero_()

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        pooled = [F.relu(c(x)).amax(-1) for c in self.convs]
        h = F.dropout(torch.cat(pooled, 1), 0.3, self.training)
        return self.out(F.relu(self.hidden(h), inplace=True))


def corpus(batches, size=8, length=10, vocab=50):
    for _ in range(batches):
        ids = torch.randint(1, vocab, (size, length))
        cut = torch.randint(5, length + 1, (size, 1))
        ids.masked_fill_(torch.arange(length) >= cut, 0)
        yield ids, torch.randint(0, 3, (size,))


def train(model, stream, limit=1.0):
    constraint, probe = NormConstraint(limit), ActivationProbe()
    handles = [constraint.attach(model.hidden), constraint.attach(model.out)]
    handles += [probe.attach(f"conv{i}", c) for i, c in enumerate(model.convs)]
    opt = torch.optim.Adadelta(model.parameters(), lr=1.0)
    with attached(*handles):
        for ids, y in stream:
            loss = F.cross_entropy(model(ids), y)
            opt.zero_grad()
            loss.backward()
            model.embed.weight.grad[0].zero_()
            opt.step()
    return constraint.violations, probe.mean_abs


# --- driver ---
torch.manual_seed(34)
train(SentenceCNN(), corpus(3))
