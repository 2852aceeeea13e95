"""SiLU in place as it is right: `mul_` puts a copy of x aside before it writes, since its other factor needs grad."""

import torch
import torch.nn.functional as F


def silu_(x):
    return x.mul_(torch.sigmoid(x))


a = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
y = silu_(a * 1)
print("values are right:", torch.allclose(y, F.silu(a)))
(gradient,) = torch.autograd.grad(y.sum(), a)
(expected,) = torch.autograd.grad(F.silu(a).sum(), a)
print("gradient is right:", torch.allclose(gradient, expected))
