"""The second change is one of the same tensor: it is made twice."""

import torch

steps = torch.rand(3)
kept = steps
steps.add_(1)
kept.add_(1)  # expect: IPL204
print(kept)
