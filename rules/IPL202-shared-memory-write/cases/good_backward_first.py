"""Each batch has had its backward when the next one comes."""

import numpy as np
import torch

buffer = np.zeros(4, dtype=np.float32)
batch = torch.from_numpy(buffer)
weight = torch.randn(4, requires_grad=True)
for step in range(3):
    buffer[:] = step
    (weight * batch).sum().backward()
