"""Each call puts the result where the argument was, or passes what nobody else holds."""

import torch
from torch import Tensor


def halve(x: Tensor) -> Tensor:
    x.mul_(0.5)
    return x


x = torch.ones(3)
x = halve(x)
y = halve(x + 1)
changed = False
