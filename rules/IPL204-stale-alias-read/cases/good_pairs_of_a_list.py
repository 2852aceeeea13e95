"""Different elements of one list are different tensors."""

import torch

frames = [torch.rand(3) for _ in range(4)]
for before, after in zip(frames, frames[1:]):
    after.mul_(0.5)
    print((after - before).sum())
