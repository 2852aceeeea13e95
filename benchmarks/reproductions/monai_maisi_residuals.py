"""monai 1.6.1, apps/generation/maisi/networks/diffusion_model_unet_maisi.py:353: a ControlNet's residuals.

Each hidden state of the blocks on the way down is kept for the way up and given to the next block, whose GroupNorm
saves it; then the residual is added to it in place. (The package's other U-Nets add out of place.)
"""

import torch
from torch import nn

first, second = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1)
norm = nn.GroupNorm(2, 4)
hidden = first(torch.randn(1, 4, 8, 8))
samples = [hidden]
hidden = second(torch.relu(norm(hidden)))
samples.append(hidden)
for sample, residual in zip(samples, [torch.randn(1, 4, 8, 8)] * 2):
    sample += residual
try:
    (hidden + samples[0]).sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
