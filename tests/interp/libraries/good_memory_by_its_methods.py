"""A memory of no declared class is written after backward, read through a copy, or of one of two classes."""

import torch
import torch.nn.functional as F
from torch import nn


class Memory:
    def __init__(self, count, size):
        self.rows = F.normalize(torch.randn(count, size), dim=1)

    def compare(self, q):
        return q @ self.rows.t()

    def snapshot(self, q):
        return q @ self.rows.clone().t()

    @torch.no_grad()
    def update(self, index, values):
        self.rows[index] = F.normalize(values, dim=1)


class Queue:
    """It can be asked the same as a memory, and keeps what it was asked with."""

    def __init__(self, size):
        self.rows = torch.randn(2, size)

    def compare(self, q):
        return q @ self.rows.t()

    def replace(self, values):
        self.rows = values


class Ring:
    def __init__(self, size):
        self.rows = torch.randn(2, size)

    def replace(self, values):
        self.rows[:] = values

    def compare(self, q):
        return q @ self.rows.clone().t()


def learn(model, memory, optimizer, x, index):
    q = F.normalize(model(x), dim=1)
    loss = F.cross_entropy(memory.compare(q), index)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    memory.update(index, q.detach())


def learn_early(model, memory, x, index):
    q = F.normalize(model(x), dim=1)
    loss = F.cross_entropy(memory.snapshot(q), index)
    memory.update(index, q.detach())
    loss.backward()


def either(model, rows, x, index):
    q = F.normalize(model(x), dim=1)
    loss = F.cross_entropy(rows.compare(q), index)
    rows.replace(q.detach())
    loss.backward()


def settings(model, options, x):
    loss = model(x).square().mean()
    options.update({"loss": loss})
    loss.backward()
    return options


if __name__ == "__main__":
    model = nn.Linear(4, 3)
    x, index = torch.randn(2, 4), torch.tensor([0, 1])
    learn(model, Memory(6, 3), torch.optim.SGD(model.parameters(), 0.1), x, index)
    learn_early(model, Memory(6, 3), x, index)
    either(model, Queue(3), x, index)
    either(model, Ring(3), x, index)
    settings(model, {}, x)
