"""Each class that occurs is a number as a tensor, and what it picks of exp's result is a view of that."""

import torch
from torch import nn


class Rates(nn.Module):
    def __init__(self, classes, size):
        super().__init__()
        self.linear = nn.Linear(size, classes)

    def forward(self, x, labels):
        rates = torch.exp(self.linear(x).t())
        rates = rates.clone()
        for label in labels.unique():
            rates[label].mul_(0.5)
        return rates.t()


if __name__ == "__main__":
    Rates(3, 4)(torch.randn(5, 4), torch.tensor([0, 2, 1, 1, 0])).sum().backward()
