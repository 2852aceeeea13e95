"""`tensor_split` slices one after the other: its outputs are ordinary views."""

import torch
from torch import nn

both = nn.Linear(4, 8)(torch.randn(2, 4))
value, gate = both.tensor_split(2, dim=-1)
value += 1.0
(value.sum() + gate.sum()).backward()
