"""Of the axis that was expanded one place is left, in which no element shares its memory with another."""

import torch


def shifted(weights):
    spread = weights.expand(2, 4, 4)
    head, _ = spread.chunk(2)
    row = spread[:1]
    with torch.no_grad():
        head.relu_()
        row.mul_(2)
    return weights.sum()


shifted(torch.rand(4, 4))
