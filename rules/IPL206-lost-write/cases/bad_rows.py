"""Indexing by a list copies."""

import torch

x = torch.zeros(3, 2)
x[[0, 1]].add_(1)  # expect: IPL206
assert not x.any()
