"""`torch.tensor` copies, and so does `clone`."""

import numpy as np
import torch

buffer = np.zeros(4, dtype=np.float32)
weight = torch.randn(4, requires_grad=True)
losses = []
for step in range(3):
    buffer[:] = step
    losses.append((weight * torch.tensor(buffer)).sum())
    losses.append((weight * torch.from_numpy(buffer).clone()).sum())
sum(losses).backward()
