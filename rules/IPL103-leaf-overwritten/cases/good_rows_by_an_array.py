"""Indexing by an array of NumPy copies rows, and the copies are free to be written."""

import numpy as np
import torch
from torch import nn


class Embedded(nn.Module):
    def __init__(self, rows, size):
        super().__init__()
        self.rows = nn.Parameter(torch.ones(rows, size))
        self.places = nn.Parameter(torch.ones(rows, size))
        self.scale = size**0.5

    def forward(self, numbers):
        found = self.rows[numbers]
        found *= self.scale
        first = self.places[numbers[:, 0]]
        first += 1
        last = self.places[1:, numbers[0]]
        last += 1
        return found.sum() + first.sum() + last.sum()


def main():
    numbers = np.zeros((2, 3), dtype=int)
    for row in range(2):
        numbers[row, :2] = [1, 2]
    Embedded(4, 5)(numbers).backward()


main()
