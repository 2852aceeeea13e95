"""timm 1.0.31, timm/models/fasternet.py:55: a convolution saves a slice of `x`, then that slice is assigned.

`Partial_conv3(forward="slicing")` is marked "only for inference" in a comment; nothing stops a training run
(`pconv_fw_type="slicing"`) from reaching it.
"""

import torch
from torch import nn

dim_conv3 = 4
partial_conv3 = nn.Conv2d(dim_conv3, dim_conv3, 3, 1, 1, bias=False)

x = torch.randn(2, 16, 8, 8, requires_grad=True).clone()
x[:, :dim_conv3, :, :] = partial_conv3(x[:, :dim_conv3, :, :])

try:
    x.sum().backward()
except RuntimeError as error:
    print(error)
else:
    raise SystemExit("no error")
