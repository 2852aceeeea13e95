"""The average of a model that was handed in is read without gradients, or moved after backward."""

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
        with torch.no_grad():
            target = self.average.average(x + 0.1)
        loss = (self.model(x) - target).square().mean()
        self.average.update()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def agree(self, x):
        loss = (self.model(x) - self.average.average(x + 0.1)).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.average.update()


if __name__ == "__main__":
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), 0.1))
    for _ in range(2):
        trainer.step(torch.randn(5, 3))
        trainer.agree(torch.randn(5, 3))
