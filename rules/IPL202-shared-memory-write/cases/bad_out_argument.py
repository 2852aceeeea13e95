"""NumPy writes its result into the memory of a tensor."""

import numpy as np
import torch


def loss_of(weight, values):
    x = torch.from_numpy(values)
    y = torch.exp(weight * x)
    np.multiply(values, 2, out=values)  # expect: IPL202
    return y.sum()


loss_of(torch.randn(4, requires_grad=True), np.ones(4, dtype=np.float32)).backward()
