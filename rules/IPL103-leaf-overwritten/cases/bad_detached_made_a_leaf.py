"""A detached result that is made to require grad is a leaf like any other."""

import torch
from torch import nn


def attack(model, images, size=0.1):
    images = model(images).detach().requires_grad_()
    model(images).sum().backward()
    images += size * images.grad.sign()  # expect: IPL103
    return images


if __name__ == "__main__":
    attack(nn.Linear(3, 3), torch.rand(2, 3))
