"""What rows of a table of numbers pick of exp's result are copies; so is what a tensor with one axis picks."""

import torch
from torch import nn


class Rates(nn.Module):
    def __init__(self, classes, size):
        super().__init__()
        self.linear = nn.Linear(size, classes)

    def forward(self, x, groups, labels):
        rates = torch.exp(self.linear(x).t())
        total = 0.0
        for group in groups:
            picked = rates[group]
            picked *= 0.5
            total = total + picked.sum()
        for group in groups.unique(dim=0):
            picked = rates[group]
            picked *= 0.5
            total = total + picked.sum()
        some = rates[labels.unique()]
        some -= 1.0
        for label in labels.unique():
            total = total + rates[label[None]].mul_(0.5).sum()
        return total + some.sum()


if __name__ == "__main__":
    groups, labels = torch.tensor([[0, 1], [2, 1]]), torch.tensor([0, 2])
    Rates(3, 4)(torch.randn(5, 4), groups, labels).backward()
