"""The first round of a loop does nothing, the second one saves a tensor, and the third one writes it."""

import torch


def series(weight, terms):
    power = weight * 2
    total = 0
    for i in range(terms):
        if i == 0:
            continue
        power += 1  # expect: IPL102
        total = total + power.sin()
    return total


if __name__ == "__main__":
    weight = torch.randn(3, requires_grad=True)
    series(weight, 4).sum().backward()
