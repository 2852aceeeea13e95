"""A result that nobody takes, and loops that put it in the place of what they gave: the change is expected."""

import torch
from torch import Tensor


class Step:
    def __call__(self, x: Tensor) -> Tensor:
        raise NotImplementedError


class Scale(Step):
    def __call__(self, x):
        return x.mul_(2)


class Steps:
    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps

    def __call__(self, x):
        for step in self.steps:
            x = step(x)
        return x


def halve(x: Tensor) -> Tensor:
    x /= 2
    return x


def batches(count: int) -> Tensor:
    scale, total = Scale(), torch.zeros(4)
    for _ in range(count):
        x = torch.ones(4)
        total = total + scale(x).square()
    return total


batches(2)
image = torch.ones(4)
halve(image)
assert torch.equal(image, torch.full((4,), 0.5))
