"""Statistics that an evaluation has saved are updated by a normalisation in training."""

import torch
import torch.nn.functional as F

mean, variance = torch.zeros(3), torch.ones(3)
x = torch.randn(8, 3, requires_grad=True)
fixed = F.batch_norm(x, mean, variance, training=False)
moving = F.batch_norm(x * 5, mean, variance, training=True)  # expect: IPL203
(fixed.square().sum() + moving.sum()).backward()
