"""What the first round writes is saved in later rounds alone, and what these save is written by none."""

import torch


def polynomial(weight, terms):
    power = weight * 2
    total = 0
    for i in range(terms):
        if i > 0:
            total = total + power.sin()
        else:
            power += 1
    return total


if __name__ == "__main__":
    polynomial(torch.randn(3, requires_grad=True), 4).sum().backward()
