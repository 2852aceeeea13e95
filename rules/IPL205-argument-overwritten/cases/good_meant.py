"""Functions that say that they write."""

import torch
from torch import Tensor


def scale_(x: Tensor, factor: float) -> Tensor:
    x.mul_(factor)
    return x


def fill_borders(x: Tensor) -> None:
    x[0] = 0
    x[-1] = 0


def scale(x: Tensor, factor: float, inplace: bool = False) -> Tensor:
    if inplace:
        x.mul_(factor)
        return x
    return x * factor


def doubled(x: Tensor, out: Tensor) -> Tensor:
    out.copy_(x).mul_(2)
    return out


x = torch.ones(3)
scale_(x, 2)
fill_borders(x)
scale(x, 3, inplace=True)
doubled(x, torch.empty(3))
