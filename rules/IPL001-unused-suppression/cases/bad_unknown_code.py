"""No rule has this code."""

import torch

x = torch.ones(3)
x += 1  # inplace-lint: ignore[IPL999]  # expect: IPL001
