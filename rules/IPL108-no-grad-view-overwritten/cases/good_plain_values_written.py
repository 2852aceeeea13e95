"""What is written needs no gradient, so nothing is recorded and nothing breaks."""

import torch

counts = torch.zeros(4, 2)
with torch.no_grad():
    row = counts[1]
row += 1.0
row.mul_(torch.tensor(0.5))
