"""The sum is a new tensor under the same name."""

import torch


def spread(row, offsets):
    table = row.expand(offsets.shape[0], -1)
    table = table + offsets
    table *= 0.5
    return table


spread(torch.ones(1, 4), torch.rand(3, 4))
