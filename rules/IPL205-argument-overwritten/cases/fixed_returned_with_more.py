"""The changed tensor is one of two results."""

import torch


def blacken(images: torch.Tensor, scores):
    bad = scores > 0
    images = images.clone()
    images[bad] = 0.0
    return images, bad


x = torch.rand(3, 3)
before = x.clone()
black, bad = blacken(x, torch.tensor([-1.0, 1.0, 1.0]))
changed = not torch.equal(x, before)
