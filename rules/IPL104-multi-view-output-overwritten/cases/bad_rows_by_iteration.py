"""Iterating over a tensor gives several views at once, as `unbind` does."""

import torch


def centre_rows(x):
    for row in x:
        row -= row.mean()  # expect: IPL104
    return x


weight = torch.randn(3, 4, requires_grad=True)
centre_rows(weight * 2).square().sum().backward()
