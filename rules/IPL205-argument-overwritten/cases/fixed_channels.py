"""Single channels are written, in a tensor of the caller."""

import torch


def subtract_mean(x: torch.Tensor) -> torch.Tensor:
    x = x.clone()
    x[:, 0] -= 0.406
    x[:, 1] -= 0.456
    return x


x = torch.rand(2, 3, 4, 4)
before = x.clone()
centred = subtract_mean(x)
changed = not torch.equal(x, before)
