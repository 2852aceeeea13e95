"""SiLU in place with a copy of x put aside: the values are right, and training it fails."""

import torch
import torch.nn.functional as F


def silu_(x):
    kept = x.clone()
    x.sigmoid_()
    x *= kept
    return x


a = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
y = silu_(a * 1)
print("values are right:", torch.allclose(y, F.silu(a)))
try:
    y.sum().backward()
except RuntimeError as error:
    print("backward raises:", error)
