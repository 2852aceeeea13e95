"""After a loop that counts its rounds, it may have had one alone."""

import torch


def last_of(weight, parts):
    for i in range(parts):
        power = weight * (i + 1)
    y = power.exp()
    if i == 0:
        y = y + 1
    return y


if __name__ == "__main__":
    last_of(torch.randn(3, requires_grad=True), 1).sum().backward()
