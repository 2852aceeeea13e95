"""Functions that a decorator registers, each called by a loop that puts the result in the place of what it gave."""

from collections.abc import Callable

import torch
from torch import Tensor

STEPS: list[Callable[[Tensor], Tensor]] = []


def step(function: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    STEPS.append(function)
    return function


@step
def centred(image: Tensor) -> Tensor:
    image -= image.mean()
    return image


@step
def clipped(image: Tensor) -> Tensor:
    image.clamp_(-1, 1)
    return image


def prepared(image: Tensor) -> Tensor:
    for apply in STEPS:
        image = apply(image)
    return image


prepared(torch.rand(4))
