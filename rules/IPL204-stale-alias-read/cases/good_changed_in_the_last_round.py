"""The change comes in the last round of a loop, after which nobody reads the other name."""

import torch


def sample(start: torch.Tensor, steps: int, scale: float) -> torch.Tensor:
    current = start
    for step in range(steps - 1, -1, -1):
        previous = current * 0.5
        current = previous
        if step == 0:
            previous *= scale
    return previous


sample(torch.ones(3), 4, 2.0)
