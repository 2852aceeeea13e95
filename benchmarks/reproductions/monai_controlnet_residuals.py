"""monai 1.6.1, maisi/networks/diffusion_model_unet_maisi.py:353: the residuals of a ControlNet are added in place.

The first sample is what the first block's GroupNorm saved. Raises where the U-Net is trained with the ControlNet;
where its parameters are frozen and nothing before them requires grad, nothing was saved.
"""

import torch
from torch import nn

conv_in, norm, conv = nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.Conv2d(8, 8, 3, padding=1)

h = conv_in(torch.randn(1, 1, 16, 16))
samples = [h]
h = conv(nn.functional.silu(norm(h)))
samples.append(h)

added = []
for sample, residual in zip(samples, [torch.zeros(1, 8, 16, 16), torch.zeros(1, 8, 16, 16)]):
    sample += residual
    added.append(sample)
try:
    (h + sum(added)).sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
