"""A number that is a tensor makes a view, like any other number."""

import torch

x = torch.zeros(4, 2)
best = torch.argmax(x.sum(1))
x[best].add_(1)
for row in torch.tensor([1, 2]):
    x[row].add_(1)
assert x[:3].all()
