"""A memory of no declared class is read and written by methods that one class of the file has."""

import torch
import torch.nn.functional as F
from torch import nn


class Memory:
    def __init__(self, count, size, momentum=0.5):
        self.rows = F.normalize(torch.randn(count, size), dim=1)
        self.momentum = momentum

    def compare(self, q):
        return q @ self.rows.t()

    @torch.no_grad()
    def update(self, index, values):
        mixed = self.rows[index].mul(self.momentum) + values * (1 - self.momentum)
        self.rows[index] = F.normalize(mixed, dim=1)


class Averages(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Linear(size, size)
        self.register_buffer("mean", torch.ones(size))

    def forward(self, x):
        return self.scale(x) * self.mean

    @torch.no_grad()
    def update(self, x):
        self.mean.lerp_(x.mean(0), 0.1)


def learn(model, memory, optimizer, x, index):
    q = F.normalize(model(x), dim=1)
    loss = F.cross_entropy(memory.compare(q), index)
    memory.update(index, q.detach())  # expect: IPL102
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def balance(layer, optimizer, x):
    loss = layer(x).square().mean()
    layer.update(x)  # expect: IPL102
    loss.backward()
    optimizer.step()


class Learner:
    def __init__(self, memory: Memory, model, optimizer):
        self.memory = memory
        self.model, self.optimizer = model, optimizer

    def learn(self, x, index):
        q = self.model(x)
        loss = F.cross_entropy(self.memory.compare(q), index)
        self.memory.update(index, q.detach())  # expect: IPL102
        loss.backward()
        self.optimizer.step()


if __name__ == "__main__":
    model = nn.Linear(4, 3)
    x, index = torch.randn(2, 4), torch.tensor([0, 5])
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for run in (
        lambda: balance(Averages(4), optimizer, x),
        lambda: Learner(Memory(6, 3), model, optimizer).learn(x, index),
    ):
        try:
            run()
        except RuntimeError:
            continue
        raise AssertionError
    learn(model, Memory(6, 3), optimizer, x, index)
