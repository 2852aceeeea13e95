"""A buffer is filled with the next batch while backward still needs the last one."""

import numpy as np
import torch

buffer = np.zeros(4, dtype=np.float32)
batch = torch.from_numpy(buffer)
weight = torch.randn(4, requires_grad=True)
losses = []
for step in range(3):
    buffer[:] = step  # expect: IPL202
    losses.append((weight * batch).sum())
sum(losses).backward()
