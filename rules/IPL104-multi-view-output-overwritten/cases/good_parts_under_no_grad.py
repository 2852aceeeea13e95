"""Parts of a parameter are initialised one by one while nothing is recorded."""

import torch
from torch import nn

fused = nn.Linear(4, 12)
with torch.no_grad():
    for part in fused.weight.chunk(3):
        part.normal_(std=0.02)
    query, key, value = fused.bias.chunk(3)
    key.zero_()
fused(torch.randn(2, 4)).sum().backward()
