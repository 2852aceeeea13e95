"""A row that is set by another name, behind a change of the whole, reads nothing."""

import torch

steps = torch.rand(3, 2)
rows = steps
steps.add_(1)
rows[0] = 0
print(steps)
