"""The copy is bound to a name, or used."""

import torch

x = torch.arange(4.0)
part = x[[0, 1]].add_(1)
print(x[x > 1].mul_(2).sum(), part)
