"""The average of a model that was handed in is read with gradients, and moved before backward."""

import copy

import torch
from torch import nn


class Average:
    def __init__(self, model, decay=0.9):
        self.model, self.average = model, copy.deepcopy(model)
        self.decay = decay

    @torch.no_grad()
    def update(self):
        for mean, now in zip(self.average.parameters(), self.model.parameters()):
            mean.lerp_(now, 1 - self.decay)


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer
        self.average = Average(model)

    def step(self, x):
        loss = (self.model(x) - self.average.average(x + 0.1)).square().mean()
        self.average.update()  # expect: IPL102
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    Trainer(model, torch.optim.SGD(model.parameters(), 0.1)).step(torch.randn(5, 3))
